import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rows } from '#db/client.ts';
import {
  gradeIn,
  scoreIn,
  shownIn,
} from '#server/domains/golden-config/compliance/grading/score-sql.service.ts';
import { gradeOf, scoreOf, shownScore } from '#server/domains/golden-config/rules/score.ts';
import { lawRuns } from '../../../helpers/long.ts';
import { openTestDatabase } from '../../../helpers/postgres.ts';

const { db } = await openTestDatabase();

const count = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 2 ** 31 - 1 }));
const weight = fc.option(
  fc.oneof(
    fc.integer({ min: -20, max: 20 }),
    fc.double({ min: -5, max: 5, noNaN: true }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
  { nil: undefined },
);
const totals = fc.record({ errors: count, warnings: count, infos: count, passes: count });
const weights = fc.record({ error: weight, warning: weight, info: weight });
const points = fc.double({ min: 0, max: 100, noNaN: true });

test('SQL and TypeScript give the same score, to the last bit, and the same grade', async () => {
  const law = fc.asyncProperty(
    fc.array(totals, { minLength: 1, maxLength: 20 }),
    weights,
    fc.record({ pass: points, review: points }),
    async (many, weighing, benchmarks) => {
      const score = sql`(${scoreIn(weighing)})`;
      const found = await rows<{ score: number; shown: number; grade: string }>(
        db,
        sql`select ${score} as score, ${shownIn(score)} as shown, ${gradeIn(score, benchmarks)} as grade
          from jsonb_to_recordset(${JSON.stringify(many)}::text::jsonb)
            as given (errors int, warnings int, infos int, passes int)`,
      );
      for (const [at, one] of many.entries()) {
        const expected = scoreOf(one, weighing);
        expect(found[at]).toEqual({
          score: expected,
          shown: shownScore(expected),
          grade: gradeOf(expected, benchmarks),
        });
      }
    },
  );
  await fc.assert(law, {
    ...lawRuns(150),
    examples: [
      [
        [{ errors: 1, warnings: 1, infos: 0, passes: 1 }],
        { error: 1e308, warning: -1e308, info: 0 },
        { pass: 90, review: 80 },
      ],
      [
        [{ errors: 1, warnings: 0, infos: 0, passes: 0 }],
        { error: 5e-324, warning: 0, info: 0 },
        { pass: 90, review: 80 },
      ],
      [
        [{ errors: 3, warnings: 0, infos: 0, passes: 9 }],
        { error: -0, warning: 1e308, info: 1e-320 },
        { pass: 90, review: 80 },
      ],
    ],
  });
});

test('the stored score of a report is the score under the default weights', async () => {
  const many = fc.sample(totals, 200);
  const found = await rows<{ score: number }>(
    db,
    sql`insert into compliance_report (id, tree_id, version, node_path, device, ts, status, device_type,
        inherited_spec_ids, variables, parse_warnings, evaluated, errors, warnings, infos, passes)
      select lpad(n::text, 24, '0'), 't', 'v', 'base', 'd', now(), 'complete', 'x', '{}', '[]', '[]', 0,
        (one ->> 'errors')::int, (one ->> 'warnings')::int, (one ->> 'infos')::int, (one ->> 'passes')::int
      from jsonb_array_elements(${JSON.stringify(many)}::text::jsonb) with ordinality as given (one, n)
      order by n returning score_default as score`,
  );
  expect(found.map(({ score }) => score)).toEqual(many.map((one) => scoreOf(one)));
});
