import { readFileSync } from 'node:fs';
import { z } from 'zod';
import '#server/kernel/validation/messages.ts';
import { DriverData } from '#server/platforms/record/driver-data.ts';
import { InvalidDriver } from './driver.ts';

/**
 * Reads drivers from a file with a JSON array (docs/devices.md).
 *
 * @param path undefined: no file is configured
 * @returns the drivers in the order of the file; empty without a file
 * @throws InvalidDriver naming the invalid field
 */
export function readDrivers(path: string | undefined): DriverData[] {
  if (path === undefined) return [];
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InvalidDriver(`CLI_DRIVERS ${path}: ${(error as Error).message}`);
  }
  const parsed = z.array(DriverData).safeParse(content);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path: at, message }) => `${at.join('.')} ${message}`).slice(0, 5);
  throw new InvalidDriver(`CLI_DRIVERS ${path}: ${wrong.join('; ')}`);
}
