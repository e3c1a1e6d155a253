/** `npm run demo`: the demo and the service in it, compiled as `npm start` does. */
import { run } from '#server/app/compile.mjs';
import { buildConsoleBeside } from '#server/app/console-build.mjs';

await run('test/lab/demo.ts');
buildConsoleBeside();
