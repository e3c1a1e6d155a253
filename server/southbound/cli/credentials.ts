import ssh2, { type AnyAuthMethod, type ParsedKey } from 'ssh2';
import { PASSWORD_EXPIRED } from './failures.ts';
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
  let keyShown = false;
  let extraStep: string | null = null;
  let broken: string | null = null;

  const keyOf = (): ParsedKey | null => {
    if (!privateKey) return null;
    const parsed = ssh2.utils.parseKey(privateKey, passphrase);
    const [first] = Array.isArray(parsed) ? parsed : [parsed];
    if (first instanceof Error || !first?.isPrivateKey()) {
      broken = 'the private key cannot be read: it is not a key, or its passphrase is wrong';
      return null;
    }
    return first;
  };

  type Finish = (answers: string[]) => void;
  const answer = (
    _name: string,
    instructions: string,
    _lang: string,
    prompts: Question[],
    finish: Finish,
  ) => {
    const secrets = prompts.filter(asksSecret).length;
    if (secrets > 1 || (secrets > 0 && passwordShown)) {
      // A second request means that the password was rejected, or that a second factor is required, which we do not have.
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
    failureText: () => broken ?? extraStep,
    next(methodsLeft, _partial, next) {
      const offered = methodsLeft && methodsLeft.length > 0 ? methodsLeft : null;
      const order: AuthMethod[] = methodsLeft ? ['publickey', 'keyboard-interactive', 'password'] : ['none'];
      for (const kind of order) {
        if (tried.has(kind) || (offered && !offered.includes(kind))) continue;
        tried.add(kind);
        const method = made[kind]();
        if (method) return next(method);
      }
      // The library accepts false to mean that no method is left; its types omit that.
      next(false as unknown as AnyAuthMethod);
    },
  };
}
