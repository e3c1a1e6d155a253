import { SCRIPTS } from '../../test/lab/devices/scripts.ts';
import { ACCOUNT, newHostKey, openDevice } from '../../test/lab/devices/simulator.ts';

const script = SCRIPTS.find(({ device_type }) => device_type === 'cisco_ios');
if (!script) throw new Error('there is a simulated device of this kind');
const { exec: _, ...privileged } = script;
const { port } = await openDevice(privileged);
// Connections to this device have the most expensive key exchange, except for groups that devices generate themselves.
const old = await openDevice(privileged, {
  hostKeys: [newHostKey('rsa')],
  algorithms: {
    kex: ['diffie-hellman-group1-sha1'],
    serverHostKey: ['ssh-rsa'],
    cipher: ['3des-cbc'],
    hmac: ['hmac-md5'],
  },
});
process.stdout.write(`${JSON.stringify({ port, oldPort: old.port, ...ACCOUNT })}\n`);
