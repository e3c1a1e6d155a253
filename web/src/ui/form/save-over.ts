import { problemOf } from '~/api/problem.ts';

/** Options of a call that is rejected with 409 when somebody else has changed the document since it was read. */
export type Conditional = { context?: { ifMatch: string } };

/**
 * Saves a change of a stored document, unless somebody else has changed it meanwhile. Then what is stored now is read before this fails: the
 * user learns what happened, and may save again over it.
 *
 * @param stamp when the document was last changed, as its user has read it; absent: nothing is compared
 * @param save sends the change with these options
 * @param readAgain reads what is stored now, and keeps its stamp for the next attempt
 * @throws the error of `save`
 */
export async function saveOver(
  stamp: string | number | undefined,
  save: (options: Conditional) => Promise<unknown>,
  readAgain: () => Promise<unknown>,
): Promise<void> {
  try {
    await save(stamp === undefined ? {} : { context: { ifMatch: String(stamp) } });
  } catch (error) {
    if (problemOf(error).status === 409) await readAgain();
    throw error;
  }
}
