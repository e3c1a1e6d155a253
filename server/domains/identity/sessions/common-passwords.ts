import { invalid } from '#server/kernel/errors.ts';

/** Words that attackers of this product would try first, in addition to the list. */
const OUR_WORDS = ['switchyard', 'network', 'automation', 'netadmin', 'networkadmin', 'netops'];

/** Minimum number of other characters for a password that contains the account's name. */
const LEAST_BESIDE_NAME = 8;

let list: Promise<ReadonlySet<string>> | undefined;

/** The list has 49,000 entries in a third of a megabyte, so it is loaded when the first password is set. */
async function loadList(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set([...dictionary['passwords-common'].map((one) => String(one).toLowerCase()), ...OUR_WORDS]);
}

/**
 * Rejects a password that is common, or a simple variant of a common one or of the account's name.
 *
 * @param path path of the password in the request
 * @throws ServiceError BAD_REQUEST with the reason
 * @see docs/decisions/0033
 */
export async function assertUncommon(password: string, username: string, path: string[]): Promise<void> {
  const weakness = await findWeakness(password, username);
  if (weakness !== null) throw invalid(path, weakness, 'common_password');
}

/** Returns why a password is easy to guess, as a message to the user; null when no weakness is found. */
export async function findWeakness(password: string, username: string): Promise<string | null> {
  list ??= loadList();
  const common = await list;
  const text = password.normalize('NFKC').toLowerCase();
  const name = username.normalize('NFKC').toLowerCase();
  for (const form of formsOf(text)) {
    if (form === name || form === joinWords(name))
      return 'is a variant of the account name; choose several unrelated words';
    if (isSequence(form)) return 'is a sequence of neighbouring characters; choose several unrelated words';
    if (common.has(form) || new Set(text).size < 3) {
      return 'is a common password or a simple variant of one (case, digits or symbols around it, repetition); choose several unrelated words';
    }
  }
  if (name.length >= 3 && text.includes(name) && text.replaceAll(name, '').length < LEAST_BESIDE_NAME) {
    return `contains the account name and fewer than ${LEAST_BESIDE_NAME} other characters; choose several unrelated words`;
  }
  return null;
}

/** Maximum number of digits and signs around a word that still count as a simple variant of it. */
const MOST_EXTRA_CHARACTERS = 8;

/**
 * Returns the texts that a password may be a variant of: without digits and signs around it, without substitutions,
 * unrepeated.
 */
function formsOf(text: string): string[] {
  const forms = [text, spellPlainly(text)];
  const cores = [...forms, ...forms.map(unitOf)].map((form) => form.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, ''));
  for (const core of cores) {
    if (text.length - core.length <= MOST_EXTRA_CHARACTERS || text.includes(core.repeat(2)))
      forms.push(core, spellPlainly(core));
  }
  const joined = forms.map(joinWords);
  return [...new Set([...forms, ...joined].flatMap((form) => [form, unitOf(form)]))].filter(Boolean);
}

/** Returns the text without spaces and the signs that separate words. */
const joinWords = (text: string) => text.replace(/[\s._-]+/g, '');

const SIGNS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'l',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  $: 's',
  '@': 'a',
  '!': 'i',
};

/** Returns the text without substitutions: `p@ssw0rd` becomes `password`. */
const spellPlainly = (text: string) => text.replace(/[013457$@!]/g, (sign) => SIGNS[sign] ?? sign);

/** Returns the shortest text whose repetition is the whole one: `abc` of `abcabcabc`. */
const unitOf = (text: string) => text.slice(0, (text + text).indexOf(text, 1));

/** Returns whether at least six characters each follow the previous one: `123456789012`, `zyxwvutsrqpo`. */
function isSequence(text: string): boolean {
  const steps = [...text]
    .slice(1)
    .map((char, at) => (char.codePointAt(0) ?? 0) - (text.codePointAt(at) ?? 0));
  const follows = (step: number) => (found: number) => found === step || found === -9 * step;
  return steps.length > 4 && (steps.every(follows(1)) || steps.every(follows(-1)));
}
