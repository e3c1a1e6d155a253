/** Returns a media type without its parameters, in lower case. */
export const essenceOf = (mediaType: string): string =>
  (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** Returns whether a media type is JSON, also by its suffix (RFC 6839 §3.1). @param mediaType with parameters or without */
export const isJsonType = (mediaType: string): boolean => {
  const essence = essenceOf(mediaType);
  return /^[^/]+\/(.+\+)?json$/.test(essence) || essence === 'application/x-ndjson+json';
};

/** Returns whether a media type is XML, also by its suffix (RFC 7303 §4.2). @param mediaType with parameters or without */
export const isXmlType = (mediaType: string): boolean => /[/+]xml$/.test(essenceOf(mediaType));

/** Returns whether content of this type is text; JSON is none. @param mediaType with parameters or without */
export const isTextType = (mediaType: string): boolean => {
  const essence = essenceOf(mediaType);
  return (
    essence.startsWith('text/') ||
    isXmlType(essence) ||
    /^application\/(x-ndjson|jsonl|javascript|yaml|x-yaml|toml|sql|graphql|x-www-form-urlencoded|x-pem-file)$/.test(
      essence,
    ) ||
    essence.endsWith('+yaml')
  );
};

/**
 * Returns whether a media type covers another; parameters and case are ignored.
 *
 * @param range a media type, or a range such as `image/*`
 */
export function covers(range: string, mediaType: string): boolean {
  const [type = '', subtype = ''] = essenceOf(range).split('/');
  const [wantedType = '', wantedSubtype = ''] = essenceOf(mediaType).split('/');
  return (type === '*' || type === wantedType) && (subtype === '*' || subtype === wantedSubtype);
}

/** Matches a media type that a header can carry (RFC 9110 §8.3.1). */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;[\x20-\x7e]*)?$/;

/** Returns whether a text is a media type that a header can carry, of at most 200 characters. */
export const isMediaType = (text: string): boolean => text.length <= 200 && MEDIA_TYPE.test(text);
