import { TextArea } from '../fields.tsx';

/** What a text of JSON holds: an object, or why it is none. */
export type ParsedObject =
  | { value: Record<string, unknown>; problem?: undefined }
  | { value?: undefined; problem: string };

/** Reads an object written as JSON; an empty text is an empty object. */
export function parseObject(text: string): ParsedObject {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown> };
    }
    return { problem: 'The text must be a JSON object: {"name": value}' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

type JsonFieldProps = {
  label: string;
  hint?: string;
  text: string;
  onChange: (text: string) => void;
  rows?: number;
};

/** A field for a JSON object, which says at once what is wrong with it. */
export const JsonField = ({ text, onChange, ...field }: JsonFieldProps) => (
  <TextArea {...field} isCode value={text} onChange={onChange} problem={parseObject(text).problem} />
);

/** Returns the text of an object for `JsonField`; empty for one without fields. */
export const jsonText = (value: Readonly<Record<string, unknown>> = {}): string =>
  Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);
