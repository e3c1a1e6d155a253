import { useEffect } from 'react';
import { AREAS, isWithin } from '~/app/areas.ts';
import { visibleText } from './visible-text.ts';

const PRODUCT = 'Switchyard';
const ROOT = '/console';

/** The parts of the title of the browser tab that the page sets: its own title, and that of a chosen tab of it. */
const shown = { page: '', tab: '' };

/** Screen readers say the title of a page that was opened within the console: nothing else announces a new page. */
export const PAGE_STATUS = 'page-status';
/** How long a title has to stay before it is said: the name of an object arrives after its page, in milliseconds. */
const SETTLED_MS = 400;
let saying: ReturnType<typeof setTimeout> | undefined;

/** Writes the title of the browser tab, from the most specific part on: `Schedules · Fleet backups · Devices · Switchyard`. */
function write(): void {
  const path = location.pathname.slice(ROOT.length);
  const area = AREAS.find((one) => isWithin(one, path));
  const parts = [shown.tab, shown.page, area?.name ?? ''].map(visibleText);
  const titles = [...new Set(parts.filter(Boolean))];
  document.title = shown.page === PRODUCT ? PRODUCT : [...titles, PRODUCT].join(' · ');
  clearTimeout(saying);
  saying = setTimeout(() => {
    const status = document.getElementById(PAGE_STATUS);
    if (status) status.textContent = titles.join(', ');
  }, SETTLED_MS);
}

function useTitlePart(part: keyof typeof shown, text: string): void {
  useEffect(() => {
    shown[part] = text;
    write();
    return () => {
      shown[part] = '';
    };
  }, [part, text]);
}

/** Puts the title of a page, and the area to which it belongs, into the title of the browser tab. */
export const usePageTitle = (title: string): void => useTitlePart('page', title);

/** Puts a tab of a page before its title. @param title empty: the first tab, which is the page itself */
export const useTabTitle = (title: string): void => useTitlePart('tab', title);
