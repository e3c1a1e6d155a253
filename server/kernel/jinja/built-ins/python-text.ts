import {
  type CostCounter,
  dictOf,
  isDict,
  isList,
  isMissing,
  isNamespace,
  isTuple,
  namespaceFields,
} from '../values.ts';

/* Values as Python prints them, which is what templates written for Jinja expect. */

/**
 * Returns a value as Python's `str` prints what is inside a list: `['a', True, None]`.
 *
 * @param value any value of a template
 * @param toll charges for each value, and throws where they are too many or too deep
 * @param depth of the value inside the one that is printed
 */
export function printPython(value: unknown, toll: CostCounter, depth = 0): string {
  toll(depth);
  const inside = (one: unknown) => printPython(one, toll, depth + 1);
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'number') return printNumber(value);
  if (typeof value === 'string') return quoted(value);
  if (isList(value)) {
    const items = value.map(inside);
    if (!isTuple(value)) return `[${items.join(', ')}]`;
    return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
  }
  if (isNamespace(value)) return `<Namespace ${inside(dictOf(namespaceFields(value)))}>`;
  if (isDict(value)) {
    const entries = Object.entries(value).map(([key, one]) => `${quoted(key)}: ${inside(one)}`);
    return `{${entries.join(', ')}}`;
  }
  return isMissing(value) ? 'Undefined' : '<function>';
}

/**
 * Returns a number as Python prints it. JSON has one kind of number: a whole one prints without `.0`.
 *
 * @param value any number, also one that JSON cannot have
 * @see https://docs.python.org/3/library/stdtypes.html#float
 */
export function printNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Number.isInteger(value)) return Object.is(value, -0) ? '0' : String(value);
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 16) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns a string as Python's `repr` writes it: in single quotes, unless it has only those. */
function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (one) => {
    if (one === '\\') return '\\\\';
    return SHORT_ESCAPES[one] ?? escapedCode(one.codePointAt(0) ?? 0);
  });
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function escapedCode(code: number): string {
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/**
 * Returns a value as Jinja's `tojson` writes it: keys in order, nothing but ASCII, and no character that ends a string or a
 * tag where the text is put into HTML.
 *
 * @param value any value of a template
 * @param toll charges for each value, and throws where they are too many or too deep
 * @param indent spaces per level; absent: on one line
 */
export function pythonJson(value: unknown, toll: CostCounter, indent?: number): string {
  return jsonOf(value, toll, indent, 0).replace(
    /[<>&']/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function jsonOf(value: unknown, toll: CostCounter, indent: number | undefined, depth: number): string {
  toll(depth);
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return printNumber(value);
  if (typeof value === 'string') return asciiJson(value);
  if (isNamespace(value)) return jsonOf(dictOf(namespaceFields(value)), toll, indent, depth);
  const parts = isList(value)
    ? value.map((one) => jsonOf(one, toll, indent, depth + 1))
    : isDict(value) &&
      Object.keys(value)
        .sort()
        .map((key) => `${asciiJson(key)}: ${jsonOf(value[key], toll, indent, depth + 1)}`);
  if (!parts) return String(value);
  const [open, close] = isList(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  if (indent === undefined) return `${open}${parts.join(', ')}${close}`;
  const line = (level: number) => `\n${' '.repeat(indent * level)}`;
  return open + line(depth + 1) + parts.join(`,${line(depth + 1)}`) + line(depth) + close;
}

const asciiJson = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
