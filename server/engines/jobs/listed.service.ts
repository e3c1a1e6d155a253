import { projectionOf } from '#db/list/project.ts';
import type { ListQuery } from '#db/list/query.ts';
import type { Job } from '#db/schemas/job.ts';
import type { Vault } from '#server/vault.ts';
import { projected } from './projection.ts';
import { openedHead, type StoredHead } from './sealed.ts';
import { masked } from './secrets.ts';

/** Members that tell what of a job is not shown as it is stored. */
const TELLING = ['decorators', 'sealed'];

const topOf = (name: string): string => name.split('.', 1)[0] ?? '';
const isTelling = (name: string): boolean => TELLING.includes(topOf(name));

/** What a page of jobs is read with: as it was asked for, and always with what says that a value is secret. */
export function readToShow<Asked extends ListQuery>(asked: Asked): Asked {
  const { include, exclude } = asked;
  return {
    ...asked,
    include: include && [...new Set([...include, ...TELLING])],
    exclude: exclude?.filter((name) => !isTelling(name)) ?? null,
  };
}

/** A job as a list shows it, from a document that was read so: most are passed on unread. */
export function shownText(
  vault: Pick<Vault, 'open'>,
  text: string,
  { include, exclude }: Pick<ListQuery, 'include' | 'exclude'>,
): string {
  const isMarked = text.includes('"decorators": [{') || text.includes('"sealed": "');
  if (!isMarked && !include && !exclude?.some(isTelling)) return text;
  const stored = JSON.parse(text) as Omit<Job, 'tasks'> & Pick<StoredHead, 'sealed'>;
  const { tasks: _, ...job } = masked({ ...openedHead(vault, stored), tasks: {} } as Job);
  const tops = {
    include: include?.map(topOf) ?? null,
    exclude: exclude?.filter((name) => !name.includes('.')) ?? [],
  };
  return projectionOf({ include, exclude }).prune(JSON.stringify(projected(job, tops)));
}
