/** Operators between two values, as templates write them (contract/lifecycle#7). */
export const EVALUATORS = ['=', '!=', '<', '>', '<=', '>=', '%'] as const;
export type Evaluator = (typeof EVALUATORS)[number];

/** Alternative spellings of the operators. */
const SPELLED: Readonly<Record<string, Evaluator>> = { '==': '=', '===': '=', '!==': '!=', '<>': '!=' };

/** Returns the operator that a text denotes, `=` for an empty one; undefined for an unknown one. */
export function evaluatorOf(text: string | undefined): Evaluator | undefined {
  const given = text?.trim() ?? '';
  if (given === '') return '=';
  return EVALUATORS.find((one) => one === given) ?? SPELLED[given];
}

/** Whether a comparison holds, or why that cannot be determined. */
export type ComparisonResult = { holds: boolean; fault?: undefined } | { holds: false; fault: string };

/** Default percentage of the operator %. */
const WHOLE = 100;

/**
 * Compares two values as numbers if both are numbers, otherwise as texts, which can only be equal or not. `%` holds if
 * the right value is at most `percentage` percent of the left one.
 */
export function compare(
  left: string,
  right: string,
  evaluator: Evaluator,
  percentage: number = WHOLE,
): ComparisonResult {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === null || b === null) {
    if (evaluator === '=') return { holds: left === right };
    if (evaluator === '!=') return { holds: left !== right };
    return {
      holds: false,
      fault: `${told(a === null ? left : right)} is not a number: ${evaluator} needs two numbers`,
    };
  }
  if (evaluator === '%') {
    if (Number(a) === 0) return { holds: false, fault: 'a percentage of 0 cannot be calculated' };
    return { holds: (Number(b) / Number(a)) * 100 <= percentage };
  }
  const order = a < b ? -1 : a > b ? 1 : 0;
  switch (evaluator) {
    case '=':
      return { holds: order === 0 };
    case '!=':
      return { holds: order !== 0 };
    case '<':
      return { holds: order < 0 };
    case '>':
      return { holds: order > 0 };
    case '<=':
      return { holds: order <= 0 };
    case '>=':
      return { holds: order >= 0 };
  }
}

const INTEGER = /^[+-]?\d{1,30}$/;
const DECIMAL = /^[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?$/;
/** Digits in groups of three, as devices print large counters. */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3}){1,9}$/;

/** Returns the number in a text, exact for 64-bit counters; null: not a number. */
export function numberOf(text: string): number | bigint | null {
  const bare = text.trim();
  const digits = GROUPED.test(bare) ? bare.replaceAll(',', '') : bare;
  if (INTEGER.test(digits)) return BigInt(digits.replace(/^\+/, ''));
  return DECIMAL.test(digits) ? Number(digits) : null;
}

const SHOWN = 40;
const told = (text: string): string =>
  JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
