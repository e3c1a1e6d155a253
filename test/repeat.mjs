import { spawn } from 'node:child_process';

const HELP = `npm run repeat -- TIMES FILE...

Runs test files again and again, in their long form, and prints how many runs passed. A test that fails once in twenty runs
depends on something that it should not. The files may be any arguments of vitest.

Exit status: 0 all runs passed, 1 one failed, 64 wrong arguments.
`;

const [times, ...files] = process.argv.slice(2);
const runs = Number(times);
const isHelp = times === '--help';
if (isHelp || !Number.isInteger(runs) || runs < 1 || files.length === 0) {
  process[isHelp ? 'stdout' : 'stderr'].write(HELP);
  process.exit(isHelp ? 0 : 64);
}

const runOnce = () =>
  new Promise((resolve, reject) => {
    const child = spawn('npx', ['vitest', 'run', ...files], {
      env: { ...process.env, LONG: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (part) => {
      output += part;
    });
    child.on('error', reject);
    child.on('exit', (code) => resolve({ isPassed: code === 0, output }));
  });

let passed = 0;
for (let run = 1; run <= runs; run++) {
  const began = performance.now();
  const { isPassed, output } = await runOnce();
  if (isPassed) passed += 1;
  else process.stdout.write(output);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`run ${run}: ${isPassed ? 'passed' : 'failed'} in ${seconds} s\n`);
}
process.stdout.write(`${passed} of ${runs} runs passed\n`);
if (passed < runs) process.exitCode = 1;
