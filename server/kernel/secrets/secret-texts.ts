const MASKED = '********';

/** Shortest secret that is looked for: shorter ones would also match what is none. */
const SHORTEST = 4;

/**
 * Returns a function that replaces the secrets of an instance in texts of its process, which may have written them in any
 * of the forms in which requests carry them.
 *
 * @param username with it, secrets are also found as HTTP Basic credentials
 */
export function secretMask(secrets: readonly string[], username = ''): (text: string) => string {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    const basic = Buffer.from(`${username}:${secret}`).toString('base64');
    const escaped = JSON.stringify(secret).slice(1, -1);
    for (const form of [
      secret,
      escaped,
      encodeURIComponent(secret),
      basic,
      Buffer.from(secret).toString('base64'),
    ])
      forms.add(form);
  }
  // A longer form may contain a shorter one.
  const all = [...forms].sort((a, b) => b.length - a.length);
  return (text) => all.reduce((shown, form) => shown.replaceAll(form, MASKED), text);
}
