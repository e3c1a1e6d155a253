/** Fields with a hash of a whole text: a caller who knows the rest of the text could try guesses of the secret offline. */
export const TEXT_HASHES: ReadonlySet<string> = new Set(['sha256', 'baseSha256']);
