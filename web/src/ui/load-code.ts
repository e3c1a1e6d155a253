import { showToast } from './overlays/toast.tsx';

/** Pause between attempts, in milliseconds. */
const PAUSE_MS = 2000;

const NOT_LOADED =
  'A part of the console could not be loaded, because the service does not answer or has a new version. It is tried again every two seconds. If that does not help, save what you typed elsewhere and reload the page.';

let isSaid = false;

/**
 * Loads code that is not part of the first page, and tries again until it is there: a page that failed instead would lose
 * what was typed into it, and React never asks again for code that failed once.
 *
 * @param load imports the code
 * @returns what it exports; never rejects
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  for (;;) {
    try {
      const code = await load();
      isSaid = false;
      return code;
    } catch {
      if (!isSaid) showToast(NOT_LOADED, 'bad');
      isSaid = true;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
