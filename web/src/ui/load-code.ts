import { showToast } from './overlays/toast.tsx';

/** Pause between attempts, in milliseconds. */
const PAUSE_MS = 2000;

const NOT_LOADED =
  'A part of the console could not be loaded, because the service does not answer. It is tried again every two seconds.';
const NEW_VERSION =
  'The console has a new version, and this part only in that. Save what you typed elsewhere, then reload the page.';

/** Whether the service has another version of the console than this page. */
async function isReplaced(): Promise<boolean> {
  const page = await fetch('/console').then(
    (response) => (response.ok ? response.text() : ''),
    () => '',
  );
  // A page of something else, such as the sign-in page of a network, is no version of the console.
  return page.includes('/console/assets/') && !page.includes(new URL(import.meta.url).pathname);
}

/** Asks again for style sheets that failed: the code that imports them would be drawn without them. */
async function reloadStyles(): Promise<void> {
  for (const failed of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    // One that failed is empty.
    if (failed.sheet?.cssRules.length) continue;
    await new Promise((resolve, reject) => {
      const link = failed.cloneNode() as HTMLLinkElement;
      link.onload = resolve;
      link.onerror = reject;
      failed.replaceWith(link);
    });
  }
}

let isSaid = false;

/**
 * Loads code that is not part of the first page, and tries again until it has loaded: a page that failed instead would lose
 * what was typed into it, and React never asks again for code that failed once.
 *
 * @param load imports the code
 * @returns what it exports; never rejects
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  for (let tries = 0; ; tries += 1) {
    try {
      if (tries > 0) await reloadStyles();
      const code = await load();
      isSaid = false;
      return code;
    } catch {
      if (!isSaid) {
        isSaid = true;
        if (await isReplaced())
          showToast(NEW_VERSION, 'bad', { label: 'Reload', act: () => window.location.reload() });
        else showToast(NOT_LOADED, 'bad');
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
