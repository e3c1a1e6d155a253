import { projectionOf } from '#db/list/project.ts';
import type { ListQuery } from '#db/list/query.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Vault } from '#server/kernel/secrets/vault.ts';
import { masked } from '../store/masking.ts';
import { projected } from '../store/projection.ts';
import { openedHead, openedText, type StoredHead } from '../store/sealed.ts';

/** Properties needed to decide what is masked in a job. */
const TELLING = ['_id', 'decorators', 'sealed'];

const topOf = (name: string): string => name.split('.', 1)[0] ?? '';
const isTelling = (name: string): boolean => TELLING.includes(topOf(name));

/** Returns the query to read a page of jobs with: the requested one, plus the fields that say which values are secret. */
export function readToShow<Query extends ListQuery>(query: Query): Query {
  const { include, exclude } = query;
  return {
    ...query,
    include: include && [...new Set([...include, ...TELLING])],
    exclude: exclude?.filter((name) => !isTelling(name)) ?? null,
  };
}

/**
 * Returns a job as a list shows it, from a document read with `readToShow`: most are passed on without parsing.
 *
 * @param isMasked whether it holds values that are not shown (`jobs.masked`)
 */
export function shownText(
  vault: Pick<Vault, 'open'>,
  text: string,
  isMasked: boolean,
  { include, exclude }: Pick<ListQuery, 'include' | 'exclude'>,
): string {
  if (!isMasked && !include && !exclude?.some(isTelling)) return text;
  const stored = JSON.parse(text) as StoredHead;
  const opened = { ...openedHead(vault, stored), tasks: {} } as Job;
  const texts = stored.sealed ? openedText(vault, stored._id, stored.sealed).texts : undefined;
  const { tasks: _, ...job } = masked(opened, texts);
  const tops = {
    include: include?.map(topOf) ?? null,
    exclude: exclude?.filter((name) => !name.includes('.')) ?? [],
  };
  const shown = JSON.stringify(projected(job, tops));
  return projectionOf({ include, exclude }).prune?.(shown) ?? shown;
}
