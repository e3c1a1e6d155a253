/** `npm run demo`: the demo and the service in it, compiled as `npm start` does. */
import { setFlagsFromString } from 'node:v8';
import { run } from '#server/app/compile.mjs';
import { buildConsoleBeside } from '#server/app/console-build.mjs';

// As `launch.cjs` does: most of what a demo does is its start.
setFlagsFromString('--interrupt-budget=600000');

await run('test/lab/demo.ts');
buildConsoleBeside();
