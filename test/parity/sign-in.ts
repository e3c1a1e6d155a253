import { NOBODY, step } from './step.ts';

const ofProvider = ({ provider }: Record<string, string>) => ({ id: provider });
const settings = { issuer: 'https://127.0.0.1:9', clientId: 'switchyard', clientSecret: 'Lantern-1' };
const provider = { name: 'corp', type: 'oidc', oidc: settings, defaultRoles: ['apiread'] };

export const SIGN_IN = [
  step('session.getSecondFactor'),
  step('session.startSecondFactor', { password: 'wrong' }),
  step('session.confirmSecondFactor', { code: '000000' }),
  step('session.disableSecondFactor', { password: 'wrong', code: '000000' }),
  step('session.beginSecurityKey', { username: 'nobody', password: 'wrong' }),
  step('session.listSecurityKeys'),
  step('session.startSecurityKey', { password: 'wrong' }),
  step('session.confirmSecurityKey', {
    name: 'Key',
    credential: { id: 'AAAA', response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } },
  }),
  step('session.renameSecurityKey', { id: NOBODY, name: 'Blue' }),
  step('session.removeSecurityKey', { id: NOBODY, password: 'wrong', code: '000000' }),
  step('authorization.removeSecondFactor', { accountId: NOBODY }),
  step('authorization.getAccessDefault'),
  step('authorization.replaceAccessDefault', { unlisted: 'administrators' }),
  step('authorization.replaceAccessDefault', { unlisted: 'nobody' }),
  step('authorization.replaceAccessDefault', { unlisted: 'readers' }),
  step('signIn.listMethods'),
  step(
    'signIn.createProvider',
    { provider },
    { keep: (body: { data: { _id: string } }) => ({ provider: body.data._id }) },
  ),
  step('signIn.createProvider', { provider }),
  step('signIn.createProvider', {
    provider: { ...provider, name: 'other', type: 'ldap', defaultRoles: ['none'] },
  }),
  step('signIn.createProvider', { provider: { name: 'Two words', type: 'saml' } }),
  step('signIn.listProviders', {}),
  step('signIn.getProvider', ofProvider),
  step('signIn.getProvider', { id: NOBODY }),
  step('signIn.updateProvider', (seen) => ({ ...ofProvider(seen), updates: { title: 'Corporate' } })),
  step('signIn.updateProvider', (seen) => ({ ...ofProvider(seen), updates: { graceMinutes: 0 } })),
  step('signIn.testProvider', ofProvider, { measured: true }),
  step('signIn.startOidc', { id: NOBODY }),
  step('signIn.finishOidc', { id: NOBODY, state: 'none', code: 'none' }),
  step('signIn.endByProvider', (seen) => ({ ...ofProvider(seen), logout_token: 'no token' })),
  step('signIn.getLogoutLink'),
  step('signIn.listMethods'),
  step('signIn.deleteProvider', ofProvider),
  step('signIn.deleteProvider', ofProvider),
];
