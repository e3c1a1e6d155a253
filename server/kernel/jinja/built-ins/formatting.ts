import { jinjaError } from '../jinja-error.ts';
import { assertRoom, numberOf, type RenderState, show, spendText, tollOf } from '../run.ts';
import { type Dict, memberOf } from '../values.ts';

/* Python's two ways of formatting a text: `"%05d" % x`, and `"{:>5}".format(x)`. */

/** How a value is written: the parts of a format specification. */
type Spec = {
  fill: string;
  align: string;
  sign: string;
  alternate: boolean;
  width: number;
  grouping: string;
  precision: number | null;
  type: string;
};

/** Maximum width and precision. */
const WIDEST = 10_000;

const PRINTF = /%(?:\((\w+)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?([a-zA-Z%])/g;

/**
 * Formats values as Python's operator `%` does.
 *
 * @param text with conversions such as `%05d`
 * @param values for the conversions without a name, in their order
 * @param named for those with one, such as `%(name)s`; null: there are none, and all values must be used
 * @param at offset in the template
 * @returns the text with the values
 * @throws JinjaError for too few or too many values, and for an unknown conversion
 * @see https://docs.python.org/3/library/stdtypes.html#printf-style-string-formatting
 */
export function printf(
  text: string,
  values: readonly unknown[],
  named: Dict | unknown[] | null,
  run: RenderState,
  at: number,
): string {
  let used = 0;
  let length = 0;
  const next = () => {
    if (used >= values.length) throw jinjaError(run.text, at, 'there are more conversions than values');
    return values[used++];
  };
  const number = (written: string | undefined) =>
    written === '*' ? numberOf(run, next(), at) : Number(written ?? 0);
  const formatted = text.replace(
    PRINTF,
    (_, name: string | undefined, flags: string, width, precision, type: string) => {
      if (type === '%') return '%';
      const spec: Spec = {
        ...flagsOf(flags, type),
        width: number(width),
        grouping: '',
        precision: precision === undefined ? null : number(precision),
        type: type === 'i' || type === 'u' ? 'd' : type,
      };
      const value = name === undefined ? next() : memberOf(named, name);
      if (name !== undefined && value === undefined) throw jinjaError(run.text, at, `${name} has no value`);
      const piece = written(value, spec, run, at);
      length += piece.length;
      spendText(run, piece.length, at);
      assertRoom(run, length, at);
      return piece;
    },
  );
  if (/%(?!%)/.test(text.replace(PRINTF, '')))
    throw jinjaError(run.text, at, 'a % is followed by no conversion: %% is a percent sign');
  if (used < values.length && !named)
    throw jinjaError(run.text, at, 'there are more values than conversions');
  return formatted;
}

/** Returns what the flags of a conversion such as `%-05d` ask for. Zeros fill numbers alone, and only on their left. */
function flagsOf(flags: string, type: string): Pick<Spec, 'fill' | 'align' | 'sign' | 'alternate'> {
  const isLeft = flags.includes('-');
  const isZeroFilled = flags.includes('0') && !isLeft && !'srac'.includes(type);
  return {
    fill: isZeroFilled ? '0' : ' ',
    align: isLeft ? '<' : isZeroFilled ? '=' : '>',
    sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '-',
    alternate: flags.includes('#'),
  };
}

const FIELD = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::([^{}]*))?\}|[{}]/g;

/**
 * Formats values as the method `format` of Python's strings does.
 *
 * @param text with fields such as `{:>5}`
 * @param listed values for `{}` and `{0}`
 * @param named values for `{name}`
 * @param at offset in the template
 * @returns the text with the values
 * @throws JinjaError for a field without a value, and for an invalid specification
 * @see https://docs.python.org/3/library/string.html#format-string-syntax
 */
export function formatFields(
  text: string,
  listed: readonly unknown[],
  named: ReadonlyMap<string, unknown>,
  run: RenderState,
  at: number,
): string {
  let place = 0;
  let length = 0;
  return text.replace(FIELD, (whole, field: string | undefined, conversion, spec: string | undefined) => {
    if (whole === '{{' || whole === '}}') return whole.charAt(0);
    if (field === undefined) throw jinjaError(run.text, at, `a single ${whole} in the format: double it`);
    const [first = '', ...path] = field.split(/[.[\]]+/).filter((part, index) => index === 0 || part !== '');
    const base =
      first === '' ? listed[place++] : /^\d+$/.test(first) ? listed[Number(first)] : named.get(first);
    const value = path.reduce<unknown>(
      (one, key) => memberOf(one, /^\d+$/.test(key) ? Number(key) : key),
      base,
    );
    if (value === undefined) throw jinjaError(run.text, at, `the field {${field}} has no value`);
    const piece = written(
      conversion === 'r' ? run.dialect.print(value, tollOf(run, at)) : value,
      specOf(spec ?? '', run, at),
      run,
      at,
    );
    length += piece.length;
    spendText(run, piece.length, at);
    assertRoom(run, length, at);
    return piece;
  });
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/su;

function specOf(text: string, run: RenderState, at: number): Spec {
  const found = SPEC.exec(text);
  if (!found) throw jinjaError(run.text, at, `invalid format ${text}`);
  const [, fill, align, sign, alternate, zero, width, grouping, precision, type] = found;
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: align ?? (zero ? '=' : ''),
    sign: sign ?? '-',
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping: grouping ?? '',
    precision: precision === undefined ? null : Number(precision),
    type: type ?? '',
  };
}

/** Writes a value by a specification. */
function written(value: unknown, spec: Spec, run: RenderState, at: number): string {
  if (spec.width > WIDEST || (spec.precision ?? 0) > WIDEST)
    throw jinjaError(run.text, at, `a format is at most ${WIDEST} wide`);
  const isText = spec.type === '' ? typeof value !== 'number' : 'sra'.includes(spec.type);
  if (isText) {
    const text = spec.type === 'r' ? run.dialect.print(value, tollOf(run, at)) : show(run, value, at);
    const shown = text.slice(0, spec.precision ?? text.length);
    assertRoom(run, shown.length, at);
    return padded('', shown, spec, '<');
  }
  if (spec.type === 'c') return padded('', show(run, value, at), spec, '<');
  const number = numberOf(run, value, at);
  const isNegative = number < 0 || Object.is(number, -0);
  const sign = isNegative ? '-' : spec.sign === '-' ? '' : spec.sign;
  const { prefix, digits } = digitsOf(Math.abs(number), spec, run, at);
  return padded(sign + prefix, grouped(digits, spec), spec, '>');
}

/** Groups the digits before a point, an exponent or a percent sign: by three, in the bases 2, 8 and 16 by four, as Python does. */
function grouped(digits: string, { grouping, type }: Spec): string {
  if (grouping === '') return digits;
  const [size, leading] = /[box]/i.test(type) ? [4, /^[\da-f]*/i] : [3, /^\d*/];
  const [whole = ''] = leading.exec(digits) ?? [];
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= size) groups.push(whole.slice(Math.max(0, end - size), end));
  return groups.reverse().join(grouping) + digits.slice(whole.length);
}

/** Pads a text to the width of the specification; `=` puts the padding between the sign and the digits. */
function padded(lead: string, digits: string, { fill, align, width }: Spec, usual: string): string {
  const missing = Math.max(0, width - [...lead, ...digits].length);
  const how = align === '' ? usual : align;
  if (how === '=') return lead + fill.repeat(missing) + digits;
  const before = how === '>' ? missing : how === '^' ? Math.floor(missing / 2) : 0;
  return fill.repeat(before) + lead + digits + fill.repeat(missing - before);
}

const BASES: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

/** Returns the digits of a number without its sign, and the prefix of its base. */
function digitsOf(
  number: number,
  { type, precision, alternate }: Spec,
  run: RenderState,
  at: number,
): { prefix: string; digits: string } {
  const base = BASES[type];
  if (base !== undefined) {
    const digits = Math.trunc(number).toString(base);
    const prefix = alternate ? `0${type}` : '';
    return type === 'X' ? { prefix, digits: digits.toUpperCase() } : { prefix, digits };
  }
  const decimals = Math.min(precision ?? 6, 100);
  const upper = (text: string) => (/[A-Z]/.test(type) ? text.toUpperCase() : text);
  const digits = () => {
    if (type === 'd' || type === 'n') return String(Math.trunc(number)).padStart(precision ?? 0, '0');
    if (type === 'f' || type === 'F') return number.toFixed(decimals);
    if (type === '%') return `${(number * 100).toFixed(decimals)}%`;
    if (type === 'e' || type === 'E') return exponential(number.toExponential(decimals));
    if (type === 'g' || type === 'G' || (type === '' && precision !== null))
      return general(number, decimals === 0 ? 1 : decimals);
    if (type === '') return show(run, number, at);
    throw jinjaError(run.text, at, `unknown conversion ${type}`);
  };
  return { prefix: '', digits: upper(digits()) };
}

/** Writes an exponent with at least two digits. */
const exponential = (text: string) =>
  text.replace(/e([-+])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`);

/** Writes a number with so many significant digits, without zeros at its end. */
function general(number: number, digits: number): string {
  const exponent = number === 0 ? 0 : Number(number.toExponential(digits - 1).split('e')[1]);
  if (exponent < -4 || exponent >= digits) {
    const [mantissa = '', power = ''] = number.toExponential(digits - 1).split('e');
    return exponential(`${withoutZeros(mantissa)}e${power}`);
  }
  return withoutZeros(number.toFixed(Math.max(0, digits - 1 - exponent)));
}

const withoutZeros = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
