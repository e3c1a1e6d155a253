import { sql } from 'drizzle-orm';
import { rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Decorator } from '#db/schemas/workflow/task.ts';
import type { TaskItem } from '#db/schemas/workflow/task-item.ts';
import { wholeValues } from '#db/tables/workflow/jobs.ts';
import type { SystemContext } from '#server/kernel/contexts.ts';
import type { SealLocation, Vault } from '#server/kernel/secrets/vault.ts';
import type { State, TaskState } from '../reducer/document.ts';
import { withMasks } from './masking.ts';
import { secretTexts, valueWithoutSecrets } from './named-secrets.ts';
import { headPlace, keptPlace, statePlace } from './sealed.ts';

type Values = {
  id: string;
  job: string;
  task: string;
  incoming: string | null;
  outgoing: string | null;
  /** The sealed texts that hold the values: those of a past iteration, or the whole state of the job. */
  kept: string | null;
  state: string | null;
  /** The sealed head of the job, which holds its variables and the secret texts. */
  head: string | null;
  decorators: string | null;
};

/** Adds masked values to task items: those stored with a past iteration, or those in the job for the latest. */
export async function withValues(
  { db, platform }: SystemContext<'vault'>,
  texts: readonly string[],
): Promise<string[]> {
  const items = texts.map((text) => JSON.parse(text) as TaskItem);
  const found = await rows<Values>(
    db,
    sql`select t.id, j.id as job, t.task, coalesce(t.kept -> 'incoming', ${latest('incoming')})::text as incoming,
          coalesce(t.kept -> 'outgoing', ${latest('outgoing')})::text as outgoing,
          case when jsonb_typeof(t.kept) = 'string' then t.kept #>> '{}' end as kept,
          case when t.kept is null and jsonb_typeof(j.state) = 'string' then j.state #>> '{}' end as state, j.doc ->> 'sealed' as head,
          (p.drawing #> array['tasks', t.task, 'variables', 'decorators'])::text as decorators
        from job_tasks t join jobs j on j.id = t.job_id join job_plans p on p.id = j.plan_id
        where t.id = any(${textArray(items.map(({ _id }) => _id))})`,
  );
  const known = new Map(found.map((one) => [one.id, one]));
  const opened = openingOnce(platform.vault);
  return items.map((item) => JSON.stringify(withVariables(item, known.get(item._id), opened)));
}

const latest = (values: 'incoming' | 'outgoing') =>
  wholeValues(sql`j`, sql`j.state #> array['tasks', t.task, ${values}::text]`);

type Opening = (sealed: string, place: SealLocation) => unknown;

/** Returns a function that opens each sealed text once: iterations of one job share its sealed state. */
function openingOnce(vault: Vault): Opening {
  const known = new Map<string, unknown>();
  return (sealed, place) => {
    if (!known.has(sealed)) known.set(sealed, JSON.parse(vault.open(sealed, place)));
    return known.get(sealed);
  };
}

function withVariables(item: TaskItem, values: Values | undefined, opened: Opening): TaskItem {
  const variables = { incoming: {}, outgoing: {}, ...valuesOf(values, opened) };
  const head = values?.head ? opened(values.head, headPlace(values.job)) : undefined;
  const texts = (head as { texts?: readonly string[] } | undefined)?.texts ?? [];
  const shown = {
    ...item,
    variables: valueWithoutSecrets(variables, [...texts, ...secretTexts(head, variables)]),
  };
  const decorators = JSON.parse(values?.decorators ?? '[]') as Decorator[];
  return decorators.length > 0 ? withMasks(shown, decorators) : shown;
}

function valuesOf(values: Values | undefined, opened: Opening): Pick<TaskState, 'incoming' | 'outgoing'> {
  if (!values) return {};
  const { task, kept, state } = values;
  // Sealed by saveJob.
  if (kept !== null) return opened(kept, keptPlace(values.id)) as Pick<TaskState, 'incoming' | 'outgoing'>;
  const { incoming, outgoing } =
    state === null
      ? { incoming: read(values.incoming), outgoing: read(values.outgoing) }
      : ((opened(state, statePlace(values.job)) as State).tasks[task] ?? {});
  return { ...(incoming && { incoming }), ...(outgoing && { outgoing }) };
}

const read = (text: string | null) => JSON.parse(text ?? '{}') as Record<string, unknown>;
