import type { CommandPolicy } from '#db/schemas/command-policy.ts';

/** Pipes that write somewhere, on systems that are no shell. */
const WRITES = /\|\s*(?:redirect|tee|append|save|file|write|match-all\s+save)\b|>/i;

/** What makes one line several commands, or sends its output elsewhere. */
const SHELL = /[;&|`<>\n]|\$\(/;

/** Who sends commands to what. */
type Asked = { roles: readonly string[]; deviceType: string; abbreviates: boolean };

/** The policies that count for a caller and a kind of device. */
export const policiesFor = (
  policies: readonly CommandPolicy[],
  { roles, deviceType }: Pick<Asked, 'roles' | 'deviceType'>,
): CommandPolicy[] =>
  policies.filter(
    (policy) =>
      (!policy.roles?.length || policy.roles.some((role) => roles.includes(role))) &&
      (!policy.device_types?.length || policy.device_types.includes(deviceType)),
  );

/**
 * Why a command may not be sent; null when it may. Where no policy counts, all may. What one policy denies is denied,
 * whatever another one allows; where some allow, one of them must.
 */
export function commandFault(
  policies: readonly CommandPolicy[],
  command: string,
  { abbreviates }: Pick<Asked, 'abbreviates'>,
): string | null {
  const words = wordsOf(command);
  for (const { name, deny = [] } of policies) {
    const found = deny.find((begin) =>
      begins(words, wordsOf(begin), { abbreviates, least: 1, longer: true }),
    );
    if (found !== undefined) return `policy ${name} denies ${found}`;
  }
  const allowing = policies.filter(({ allow }) => allow?.length);
  if (allowing.length === 0) return null;
  const allowed = allowing.filter(({ allow = [] }) =>
    allow.some((begin) => begins(words, wordsOf(begin), { abbreviates, least: 2, longer: false })),
  );
  const names = allowing.map(({ name }) => name).join(', ');
  if (allowed.length === 0) return `no policy allows it (${names})`;
  if (allowed.some(({ operators }) => operators)) return null;
  return (abbreviates ? WRITES : SHELL).test(command)
    ? `policy ${allowed[0]?.name} allows no redirection, nor several commands in one`
    : null;
}

const wordsOf = (text: string) => text.trim().toLowerCase().split(/\s+/);

/**
 * Whether a command begins with the words of a policy, each of which may be cut short where the system reads it so.
 *
 * @param least characters that a word cut short must have
 * @param longer a word that goes on counts as well: `tech` is also meant to deny `tech-support`
 */
function begins(
  words: readonly string[],
  wanted: readonly string[],
  { abbreviates, least, longer }: { abbreviates: boolean; least: number; longer: boolean },
): boolean {
  return wanted.every((word, index) => {
    const given = words[index];
    if (given === undefined) return false;
    if (given === word || (longer && given.startsWith(word))) return true;
    return abbreviates && given.length >= least && word.startsWith(given);
  });
}
