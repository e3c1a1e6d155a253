import type { OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import { secretMask } from '#server/kernel/secrets/secret-texts.ts';

/** Shortest secret that is masked in an answer: shorter ones also occur by chance (decision 0027). */
const SHORTEST_SECRET = 8;

/**
 * Returns a function that masks the credential of a connection in a text of the other system: some systems repeat what they
 * were sent (decision 0149).
 */
export function maskOfConnection({
  authentication,
  tls,
}: Pick<OrchestratorConnection, 'authentication' | 'tls'>): (text: string) => string {
  const { username = '', password = '', token = '' } = authentication ?? {};
  const secrets = [password, token, tls?.key ?? ''].filter(({ length }) => length >= SHORTEST_SECRET);
  return secretMask(secrets, username);
}
