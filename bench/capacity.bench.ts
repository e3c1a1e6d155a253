import { usesOf } from './capacity.ts';

/** Prints what fleets of four sizes use of one primary and 200 workers, by the model of capacity.ts (docs/scale.md). */
for (const devices of [10_000, 100_000, 1_000_000, 10_000_000]) {
  const uses = usesOf(devices);
  process.stdout.write(`${devices.toLocaleString('en')} devices\n`);
  for (const { resource, share, saturatedAt } of uses)
    process.stdout.write(
      `  ${resource.padEnd(32)} ${(share * 100).toFixed(1).padStart(7)} %   used up at ${saturatedAt.toLocaleString('en')} devices\n`,
    );
}
