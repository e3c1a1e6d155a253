import { unprocessable } from '#server/kernel/errors.ts';

/** Maximum number of characters of both sides together. */
const MOST = 20_000_000;

/**
 * Returns the texts of both sides, which are compared line by line (contract/lifecycle#7).
 *
 * @param pre a text, the result of a run, or any other value
 * @throws ServiceError UNPROCESSABLE_CONTENT when the sides are too large
 */
export function sidesOf(pre: unknown, post: unknown): { before: string; after: string } {
  const [before, after] = [textOf(pre), textOf(post)];
  const length = before.length + after.length;
  if (length > MOST) throw unprocessable(`pre and post have ${length} characters, more than ${MOST} in all`);
  return { before, after };
}

/** Returns the text of one side. For a run, that is only its commands and responses, which are what can change. */
function textOf(side: unknown): string {
  if (typeof side === 'string') return side;
  const entries = entriesIn(side);
  if (!entries) return `${JSON.stringify(side, null, 2)}\n`;
  return entries
    .map(({ device, evaluated, raw, response, error }) => {
      const said = String(response ?? '') || String(error ?? '');
      return `${device ?? ''}: ${evaluated ?? raw ?? ''}\n${said.endsWith('\n') ? said : `${said}\n`}`;
    })
    .join('');
}

function entriesIn(side: unknown): Record<string, unknown>[] | null {
  if (typeof side !== 'object' || side === null) return null;
  const { commands_results, command_results } = side as Record<string, unknown>;
  const entries = Array.isArray(side) ? side : (commands_results ?? command_results);
  const are = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && 'response' in one;
  return Array.isArray(entries) && entries.every(are) ? entries : null;
}
