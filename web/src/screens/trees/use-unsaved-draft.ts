import { useUnsaved } from '~/app/use-unsaved.ts';

/** The parts of the address that choose what is edited: another value of one opens another draft. */
const PARTS = ['version', 'node', 'platform', 'tab'];

const isOtherDraft = (before: string, after: string): boolean => {
  const [one, other] = [before, after].map((address) => new URL(address, window.location.href)) as [URL, URL];
  return (
    one.pathname !== other.pathname ||
    PARTS.some((part) => one.searchParams.get(part) !== other.searchParams.get(part))
  );
};

/** Asks before a draft of a golden config is left. @param isChanged whether it differs from what is stored */
export const useUnsavedDraft = (isChanged: boolean): void => useUnsaved(() => isChanged, isOtherDraft);
