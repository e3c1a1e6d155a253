/** Starts the service. It is compiled at every start, so there is nothing to keep in step and nothing to forget. */
import { setFlagsFromString } from 'node:v8';
import { run } from './compile.mjs';

// The engine makes objects old at birth where those made there before lived long. A few requests that wait decide so for
// all that follow, and each old one keeps young ones alive: most of what a request makes survived it, and clearing it
// away took a quarter of the time (bench/http, docs/decisions/0008).
setFlagsFromString('--no-allocation-site-pretenuring');

await run('server/main.ts');
