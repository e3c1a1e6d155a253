import { calculateForRequest } from '#server/kernel/calculations/calculation-pool.ts';
import { type Issue, invalid } from '#server/kernel/errors.ts';
import { type Compilable, compileFaults, type TemplateError } from './check.ts';

/** Maximum number of characters of templates compiled on the event loop: a few hundredths of a second. */
const MOST_AT_ONCE = 20_000;
/** Characters that one worker thread compiles before others get their turn: one template of the maximum length. */
const MOST_IN_THREAD = 1024 * 1024;

/**
 * Returns why templates do not compile, in their order. Small ones are compiled here, others in a worker thread.
 *
 * @throws ServiceError BAD_REQUEST when that takes too long or too much memory; TOO_MANY_REQUESTS
 */
export async function compileAll(templates: readonly Compilable[]): Promise<TemplateError[][]> {
  const length = ({ template }: Compilable) => template?.length ?? 0;
  if (templates.reduce((sum, one) => sum + length(one), 0) <= MOST_AT_ONCE)
    return templates.map(compileFaults);
  const found: TemplateError[][] = [];
  for (let from = 0, to = 0; from < templates.length; from = to) {
    for (let sum = 0; to < templates.length && (to === from || sum <= MOST_IN_THREAD); to++)
      sum += length(templates[to] as Compilable);
    const part = templates.slice(from, to).map(({ type, template }) => ({ type, template }));
    const faults = await calculateForRequest('compile templates', part, (reason) =>
      invalid(['template'], `could not be compiled: the compilation ${reason}`, 'too_big'),
    );
    found.push(...(faults as TemplateError[][]));
  }
  return found;
}

/** Returns why one template does not compile, as issues at `path` with their lines and columns. @throws ServiceError as compileAll */
export async function compileIssues(one: Compilable, path: Issue['path']): Promise<Issue[]> {
  const [faults = []] = await compileAll([one]);
  return faults.map(({ message, line, column }) => ({ path, message, code: 'template', line, column }));
}
