/** The mask that is shown in place of a secret. */
export const MASKED = '********';

/** Shortest secret that is looked for: shorter ones would also match what is none. */
const SHORTEST = 4;

/**
 * Returns a function that replaces secrets in texts of another system or process, in any of the forms in which requests carry
 * them.
 *
 * @param secrets the secrets; those of fewer than four characters are not looked for
 * @param username with it, secrets are also found as they are sent with it: HTTP Basic and SASL PLAIN
 * @returns the function; in its result `********` is in the place of each secret
 */
export function secretMask(secrets: readonly string[], username = ''): (text: string) => string {
  const forms = secretForms(secrets, [username]);
  return (text) => forms.reduce((shown, form) => shown.replaceAll(form, MASKED), text);
}

/**
 * Returns the forms in which requests carry secrets, the longest first: it may contain a shorter one.
 *
 * @param secrets plain secrets; short ones are left out, because they occur by chance
 * @param usernames names with which they are sent
 */
export const secretForms = (secrets: readonly string[], usernames: readonly string[]): string[] =>
  [...new Set(secrets.flatMap((secret) => usernames.flatMap((username) => formsOf(secret, username))))]
    .filter(({ length }) => length >= SHORTEST)
    .sort((a, b) => b.length - a.length);

const base64 = (text: string) => Buffer.from(text).toString('base64');

function formsOf(secret: string, username: string): string[] {
  if (secret.length < SHORTEST) return [];
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    base64(secret),
    base64(`${username}:${secret}`),
    base64(`\0${username}\0${secret}`),
    ...addressForms(secret),
  ];
}

/** Returns the forms of a secret that is an address, such as that of a chat's webhook. The host alone is no secret. */
function addressForms(secret: string): string[] {
  if (!URL.canParse(secret)) return [];
  const { href, pathname, search } = new URL(secret);
  const path = `${pathname}${search}`;
  return path === '/' ? [href] : [href, path];
}
