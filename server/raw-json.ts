/**
 * JSON that is already text, put together from documents as the database gave them: a face that answers JSON sends it
 * as it is, one that needs values parses it. `Value` is what the text says.
 */
export class RawJson<Value> {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  parse(): Value {
    return JSON.parse(this.text) as Value;
  }
}
