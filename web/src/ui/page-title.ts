import { useEffect } from 'react';
import { AREAS, isWithin } from '~/app/areas.ts';
import { visibleText } from './visible-text.ts';

const PRODUCT = 'Switchyard';
const ROOT = '/console';

/** The parts of the title of the browser tab that the page sets: its own title, and that of a chosen tab of it. */
const shown = { page: '', tab: '' };

/** Writes the title of the browser tab, from the most specific part on: `Schedules · Fleet backups · Devices · Switchyard`. */
function write(): void {
  const path = location.pathname.slice(ROOT.length);
  const area = AREAS.find((one) => isWithin(one, path));
  const parts = [shown.tab, shown.page, area?.name ?? ''].map(visibleText);
  document.title =
    shown.page === PRODUCT ? PRODUCT : [...new Set(parts.filter(Boolean)), PRODUCT].join(' · ');
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
