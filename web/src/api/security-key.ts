import { api, type Inputs, type Outputs } from './client.ts';

/** The answer of a security key in the form that the service accepts. */
export type KeyAnswer = NonNullable<Inputs['session']['signIn']['securityKey']>;
type NewKey = Inputs['session']['confirmSecurityKey']['credential'];
type CreationOptions = Outputs['session']['startSecurityKey']['options'];

/** Whether this browser can use security keys at this address: the oldest ones cannot read what the service asks of a key. */
export const hasSecurityKeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/**
 * Asks for the answer of one of the account's security keys: the browser prompts its user to touch one.
 *
 * @throws Error when the account has no key for this address, or the user did not answer
 */
export async function answerOfKey(username: string, password: string): Promise<KeyAnswer> {
  const { options } = await api.session.beginSecurityKey.mutate({ username, password });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  return withKey(() => navigator.credentials.get({ publicKey })) as Promise<KeyAnswer>;
}

/** Makes a new credential on a security key. @throws Error when the user did not answer */
export async function createKey(options: CreationOptions): Promise<NewKey> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  return withKey(() => navigator.credentials.create({ publicKey })) as Promise<NewKey>;
}

/** Runs a ceremony, and says in words what its exceptions mean. */
async function withKey(ceremony: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await ceremony();
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
  } catch (error) {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
    if (isKnown) throw new Error('This security key is already registered.');
  }
  throw new Error('No security key answered in time, or the request was canceled.');
}
