/** `npm run demo`: the demo and the service in it, compiled as `npm start` does. */
import { setFlagsFromString } from 'node:v8';
import { run } from '#server/app/compile.mjs';
import { buildConsoleBeside } from '#server/app/console-build.mjs';
import { LATE_OPTIMISATION } from '#server/app/optimisation.cjs';

// As `launch.cjs` does: most of what a demo does is its start.
for (const flag of LATE_OPTIMISATION) setFlagsFromString(flag);

await run('test/lab/demo.ts');
buildConsoleBeside();
