/** Returns the source of a regular expression that matches a text as it is. @param text of any characters */
export const literalExpression = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
