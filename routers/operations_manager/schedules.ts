import { z } from 'zod';
import { Timestamp } from '#db/schemas/primitives.ts';
import { Schedule } from '#db/schemas/schedule.ts';
import { answer } from '#server/kernel/json-text.ts';
import { rest, signedIn } from '#server/kernel/procedures.ts';
import { previewSchedule } from '#server/kernel/schedules/preview.ts';

export const schedules = {
  previewSchedule: signedIn
    .meta(
      rest('POST', '/operations-manager/schedules/preview', 'List the next times of a schedule', {
        description:
          'Accepts the schedule of a trigger, a backup schedule or any other document that has one. Stores nothing.',
      }),
    )
    .input(
      z.strictObject({
        schedule: Schedule,
        from: Timestamp.optional().describe('The first time that counts; absent: now'),
        count: z.int().min(1).max(100).optional().describe('Maximum number of times; absent: 10'),
      }),
    )
    .output(
      answer(
        z.strictObject({
          moments: z
            .array(z.string())
            .meta({ description: 'Times in UTC, in order', examples: [['2026-11-25T01:30:00.000Z']] }),
        }),
      ),
    )
    .query(({ ctx, input }) => Promise.resolve(previewSchedule(ctx, input))),
};
