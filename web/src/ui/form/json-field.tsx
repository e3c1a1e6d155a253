import { TextArea } from '../fields.tsx';
import { parseObject } from './parse-object.ts';

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
