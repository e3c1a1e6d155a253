/**
 * Runs where `/etc/resolv.conf` names the address of its one argument: looks up many names of seven domains that get no answer, then two others,
 * and prints after which time the others were found, in milliseconds.
 */
import { checkedRoute } from '#server/southbound/git/address.ts';
import { openLdap } from '#server/southbound/ldap/ldap.ts';
import { checkedLookup } from '#server/southbound/lookup.ts';
import { openNameServer } from './name-server.ts';

const DEAD = 40;
const DOMAINS = 5;

await openNameServer(process.argv[2] ?? '');
const lookUp = checkedLookup(true);
const start = performance.now();
const found = (name: string) =>
  new Promise<number>((resolve, reject) => {
    lookUp(name, { all: true }, (error) => (error ? reject(error) : resolve(performance.now() - start)));
  });
for (let domain = 0; domain < DOMAINS; domain += 1)
  for (let made = 0; made < DEAD; made += 1)
    found(`r${made}.zone${domain}.dead.example`).catch(() => undefined);
const directories = openLdap({ allowPrivateTargets: true });
for (let made = 0; made < DEAD; made += 1) {
  const url = `ldap://r${made}.directories.dead.example`;
  directories.connect({ name: 'directory', url }, async () => undefined).catch(() => undefined);
  const repository = new URL(`https://r${made}.git.dead.example/network`);
  checkedRoute(repository, true, () => undefined).catch(() => undefined);
}
const times = await Promise.all([found('localhost'), found('r1.good.example')]);
process.stdout.write(JSON.stringify(times.map(Math.round)));
process.exit();
