import type { Inputs } from '~/api/client.ts';
import { namesIn } from '../inputs/lines.ts';

/** A selection of devices in the form that the service accepts. */
export type Selection = Inputs['inventory']['listSelection']['selection'];

/** A selection while it is edited. */
export type SelectionDraft = {
  pattern: string;
  tags: readonly string[];
  platforms: readonly string[];
  sites: readonly string[];
  sources: readonly string[];
  /** Names of device groups. */
  groups: readonly string[];
  /** One name per line. */
  names: string;
  /** One name or pattern per line. */
  exclude: string;
  /** An exclusion by properties, which the form does not show, is kept. */
  excluded?: Selection['exclude'];
};

/** Returns what a form shows of a selection; absent: nothing. */
export function selectionDraftOf(selection?: Selection | null): SelectionDraft {
  const {
    pattern = '',
    tags = [],
    platforms = [],
    sites = [],
    sources = [],
    groups = [],
    names = [],
    exclude,
  } = selection ?? {};
  return {
    pattern,
    tags,
    platforms,
    sites,
    sources,
    groups,
    names: names.join('\n'),
    exclude: Array.isArray(exclude) ? exclude.join('\n') : '',
    ...(exclude && !Array.isArray(exclude) && { excluded: exclude }),
  };
}

/** Returns the selection of a form; undefined when no property is filled in: that never means all devices. */
export function selectionOf(draft: SelectionDraft): Selection | undefined {
  const lists = {
    tags: [...new Set(draft.tags)],
    platforms: [...new Set(draft.platforms)],
    sites: [...new Set(draft.sites)],
    sources: [...new Set(draft.sources)],
    groups: [...new Set(draft.groups)],
    names: namesIn(draft.names),
  };
  const filled = Object.fromEntries(Object.entries(lists).filter(([, words]) => words.length > 0));
  const pattern = draft.pattern.trim();
  if (!pattern && Object.keys(filled).length === 0) return undefined;
  const exclude = namesIn(draft.exclude);
  return {
    ...(pattern && { pattern }),
    ...filled,
    ...(exclude.length > 0 ? { exclude } : draft.excluded && { exclude: draft.excluded }),
  };
}

/** Returns a selection in words, such as `pattern edge-*, tags core`. */
export function selectionText(selection: Selection | null | undefined): string {
  if (!selection) return 'none';
  return Object.entries(selection)
    .map(([field, value]) => {
      const text = Array.isArray(value)
        ? listText(value)
        : typeof value === 'object'
          ? selectionText(value as Selection)
          : value;
      return field === 'exclude' ? `without ${text}` : `${field} ${text}`;
    })
    .join('; ');
}

const listText = (values: readonly unknown[]) =>
  values.length > 5 ? `${values.slice(0, 5).join(', ')} and ${values.length - 5} more` : values.join(', ');

/** Returns the selection that the text of an address holds; undefined when it holds none. */
export function selectionIn(text: string | undefined): Selection | undefined {
  if (!text) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
