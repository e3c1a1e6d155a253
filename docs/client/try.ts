import { tour as restTour } from './rest.ts';
import { tour as typedTour } from './typed.ts';

const [, , url, username, password] = process.argv;
if (!url || !username || !password) {
  throw new Error(
    'say where and who: node --import tsx docs/client/try.ts http://127.0.0.1:3000 <name> <password>',
  );
}
for (const line of await typedTour(url, username, password)) process.stdout.write(`tRPC  ${line}\n`);
for (const line of await restTour(url, username, password)) process.stdout.write(`REST  ${line}\n`);
