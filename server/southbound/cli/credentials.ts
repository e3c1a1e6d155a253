import type { AnyAuthMethod, ParsedKey } from 'ssh2';
import { PASSWORD_EXPIRED } from './failures.ts';
import { readPrivateKey } from './private-key.ts';
import { asksUsername, reportsExpiry, wantsNewPassword } from './reading/questions.ts';
import type { Hop } from './reading/wire.ts';

type Next = (
  methodsLeft: string[] | null,
  partial: boolean | null,
  next: (method: AnyAuthMethod) => void,
) => void;
type AuthMethod = 'none' | 'publickey' | 'keyboard-interactive' | 'password';

/** The credentials offered to a device, one at a time. */
export type Credentials = {
  next: Next;
  /** Returns whether a secret was offered. */
  shown: () => boolean;
  /** Returns why authentication cannot continue, if the device requested something that we do not have. */
  failureText: () => string | null;
};

const NOT_STORED = 'the device requires a credential that is not stored';

/** Methods that a device may name and that are reported as it names them; any other text of it may be anything. */
const METHODS = ['publickey', 'password', 'keyboard-interactive', 'hostbased', 'gssapi-with-mic'];

const ASKS_SECRET = /pass(?:word|code|phrase)?|secret/i;
const ASKS_CONSENT = /yes\/no|accept|acknowledge|agree/i;
const ASKS_NAME = /user|login|account/i;

/** Returns whether a question asks for a secret: by its words, or because the answer is not shown. */
const asksSecret = ({ prompt, echo }: Question) =>
  ASKS_SECRET.test(prompt) || (echo === false && !asksUsername(prompt));

type Question = { prompt: string; echo?: boolean };

/**
 * Offers the methods none, public key, keyboard-interactive and password in that order, each at most once. A rejected
 * password is not offered again by another method, because devices count failures (contract/engines#cli-sessions).
 */
export function credentialsOf({ username, password, privateKey, passphrase }: Hop): Credentials {
  const tried = new Set<AuthMethod>();
  let passwordShown = false;
  /** The words in which a question asked for the password. */
  let askedAs: string | null = null;
  let keyShown = false;
  /** What the device accepts, of which nothing is stored. */
  let unmet: string[] = [];
  let extraStep: string | null = null;
  let broken: string | null = null;

  const keyOf = (): ParsedKey | null => {
    if (!privateKey) return null;
    const key = readPrivateKey(privateKey, passphrase);
    if (!key) broken = 'the private key cannot be read: it is not a key, or its passphrase is wrong';
    return key;
  };

  type Finish = (answers: string[]) => void;
  const answer = (
    _name: string,
    instructions: string,
    _lang: string,
    prompts: Question[],
    finish: Finish,
  ) => {
    const secrets = prompts.filter(asksSecret);
    if (secrets.length > 1 || (secrets.length > 0 && passwordShown)) {
      // The same question again means that the password was rejected; another one, that a second factor is required.
      if (secrets.length === 1 && secrets[0]?.prompt === askedAs) return finish([]);
      const isExpired = reportsExpiry(instructions) || prompts.some(({ prompt }) => wantsNewPassword(prompt));
      extraStep = isExpired
        ? PASSWORD_EXPIRED
        : 'the device requires another authentication step after the password';
      return finish([]);
    }
    finish(
      prompts.map((question) => {
        const { prompt } = question;
        if (asksSecret(question)) {
          passwordShown = true;
          askedAs = prompt;
          return password ?? '';
        }
        if (ASKS_CONSENT.test(`${instructions} ${prompt}`)) return 'yes';
        return ASKS_NAME.test(prompt) ? username : '';
      }),
    );
  };

  const made: Record<AuthMethod, () => AnyAuthMethod | null> = {
    none: () => ({ type: 'none', username }),
    publickey: () => {
      const key = keyOf();
      if (!key) return null;
      keyShown = true;
      return { type: 'publickey', username, key };
    },
    'keyboard-interactive': () =>
      password === undefined ? null : { type: 'keyboard-interactive', username, prompt: answer },
    password: () => {
      if (password === undefined || passwordShown) return null;
      passwordShown = true;
      return { type: 'password', username, password };
    },
  };

  return {
    shown: () => passwordShown || keyShown,
    failureText: () =>
      broken ?? extraStep ?? (unmet.length > 0 ? `${NOT_STORED}: it asks for ${unmet.join(' or ')}` : null),
    next(methodsLeft, partial, next) {
      const offered = methodsLeft && methodsLeft.length > 0 ? methodsLeft : null;
      const order: AuthMethod[] = methodsLeft ? ['publickey', 'keyboard-interactive', 'password'] : ['none'];
      for (const kind of order) {
        if (tried.has(kind) || (offered && !offered.includes(kind))) continue;
        tried.add(kind);
        const method = made[kind]();
        if (method) return next(method);
      }
      if (partial || !(passwordShown || keyShown))
        unmet = offered?.filter((one) => METHODS.includes(one)) ?? [];
      // The library accepts false to mean that no method is left; its types omit that.
      next(false as unknown as AnyAuthMethod);
    },
  };
}
