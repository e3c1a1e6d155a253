import { type Issue, refused } from '#server/errors.ts';
import { isSecretField } from './redact.ts';

type Options = Readonly<Record<string, unknown>>;

/** Members of a list's query that name a field. */
const NAMES_FIELD = /Field$|^sort$/;

/**
 * A list's query in the pair dialect, refused where it looks at a secret: answers to "does it begin with a?" would tell
 * it letter by letter.
 *
 * @throws ServiceError BAD_REQUEST naming each such member
 */
export function searchable(options: Options): Options {
  const issues: Issue[] = Object.entries(options)
    .filter(([name, field]) => NAMES_FIELD.test(name) && typeof field === 'string' && isSecretField(field))
    .map(([name]) => ({
      path: [name],
      message: 'names a secret: it can be neither searched nor sorted by',
      code: 'unknown_field',
    }));
  if (issues.length > 0) throw refused(issues);
  return options;
}
