import { generateKeyPairSync } from 'node:crypto';
import ssh2, { type AuthContext } from 'ssh2';
import { afterAll, expect, test } from 'vitest';
import { openCli } from '#server/southbound/cli/cli.ts';
import { at, never } from '../../helpers/devices/cli.ts';
import { openSshServer, runOnServer, type Served } from '../../helpers/devices/ssh-server.ts';
import { newHostKey } from '../../lab/devices/simulator.ts';

const cli = openCli({ allowPrivateTargets: true, insecure: () => undefined });
afterAll(() => cli.close());

/** Runs commands on such a device. */
const runOn = (served: Served) => runOnServer(cli, served);

/** Answers to the questions of a device: the first is the password; the others are asked after it. */
const questions =
  (...prompts: string[]) =>
  (context: AuthContext) => {
    if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
    const [first = '', ...others] = prompts;
    const ask = (prompt: string) =>
      context.prompt([{ prompt, echo: false }], () => {
        const next = others.shift();
        if (next === undefined) context.reject(['keyboard-interactive']);
        else ask(next);
      });
    ask(first);
  };

test.each([
  { asks: ['Password: ', 'Password: ', 'Password: '], says: 'the device rejects the credential' },
  {
    asks: ['Password: ', 'Enter PASSCODE: '],
    says: 'the device requires another authentication step after the password',
  },
])('a device that asks $asks: $says', async ({ asks, says }) => {
  await expect(
    runOn({ name: 'edge-1', server: { onAuthentication: questions(...asks) } }),
  ).rejects.toMatchObject({ message: `edge-1: ${says}`, extra: { reason: 'DEVICE_AUTH_FAILED' } });
});

test.each([
  {
    device: 'that accepts keys alone',
    offers: ['publickey'],
    says: 'the device requires a credential that is not stored: it asks for publickey',
  },
  {
    device: 'with other methods, one of them with a name that is none',
    offers: ['gssapi-with-mic', 'hostbased', 'Lantern-77-pass'],
    says: 'the device requires a credential that is not stored: it asks for gssapi-with-mic or hostbased',
  },
  {
    device: 'that rejects the password',
    offers: ['publickey', 'password'],
    says: 'the device rejects the credential',
  },
])('a device $device: $says', async ({ offers, says }) => {
  const onAuthentication = (context: AuthContext) => context.reject(offers as never);
  await expect(runOn({ name: 'edge-1', server: { onAuthentication } })).rejects.toMatchObject({
    message: `edge-1: ${says}`,
    extra: { reason: 'DEVICE_AUTH_FAILED' },
  });
});

test('a device that wants a password beside the key, which is not stored, says so', async () => {
  const onAuthentication = (context: AuthContext) =>
    context.method === 'publickey' ? context.reject(['password'], true) : context.reject(['publickey']);
  const key = { privateKey: newHostKey(), password: undefined };
  await expect(runOn({ name: 'edge-1', ...key, server: { onAuthentication } })).rejects.toMatchObject({
    message: 'edge-1: the device requires a credential that is not stored: it asks for password',
  });
});

const KEY_PAIRS = [
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
  generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  generateKeyPairSync('ed25519'),
];

test('keys in PKCS#8 sign in, encrypted or not', async () => {
  const onAuthentication = (context: AuthContext) => {
    if (context.method !== 'publickey') return context.reject(['publickey']);
    const { blob, signature, hashAlgo } = context;
    const key = ssh2.utils.parseKey(context.key.data);
    if (key instanceof Error || (blob && signature && key.verify(blob, signature, hashAlgo) !== true))
      return context.reject();
    context.accept();
  };
  const device = await openSshServer({ onAuthentication });
  const run = async (privateKey: string, passphrase?: string) => {
    const target = at(device, { name: 'edge-1', password: undefined, privateKey, passphrase });
    const { result } = await cli.run(
      { ...target, name: `edge-${passphrase ?? ''}` },
      ['show version'],
      never(),
    );
    return result[0]?.status;
  };
  const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
  try {
    for (const { privateKey } of KEY_PAIRS)
      expect(await run(String(privateKey.export(pkcs8))), privateKey.asymmetricKeyType).toBe('success');
    const encryption = { cipher: 'aes-256-cbc', passphrase: 'Key-Pass-1' };
    const encrypted = String(KEY_PAIRS[3]?.privateKey.export({ ...pkcs8, ...encryption }));
    expect(await run(encrypted, 'Key-Pass-1')).toBe('success');
    await expect(run(encrypted, 'wrong')).rejects.toMatchObject({
      message: 'edge-wrong: the private key cannot be read: it is not a key, or its passphrase is wrong',
    });
  } finally {
    device.close();
  }
});
