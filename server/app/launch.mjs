/** Starts the service. The sources are compiled at every start, so no build output can become stale. */
import { setFlagsFromString } from 'node:v8';
import { run } from './compile.mjs';
import { buildConsoleBeside } from './console-build.mjs';

// V8 allocates objects directly in the old generation at sites whose objects once lived long. A few waiting requests
// cause that for all later ones, and each such object keeps young objects alive: most of what a request allocated
// survived it, and garbage collection took a quarter of the time (bench/http, docs/decisions/0008).
setFlagsFromString('--no-allocation-site-pretenuring');

// V8 optimises a function after nine times as much of it has run: a quarter of the CPU time of a start was the compiler, for
// functions that run a few times. `server/main.ts` ends this when the process serves or works (docs/decisions/0007).
setFlagsFromString('--interrupt-budget=600000');

await run('server/main.ts');

// Other commands (backup, worker) serve no console.
if (process.argv.length === 2) buildConsoleBeside();
