import type { OidcSettings } from '#db/schemas/identity/sign-in-provider.ts';
import { fieldIn, textOrEmpty } from '#server/kernel/json/objects.ts';
import { type DirectoryUser, MOST_GROUPS } from '../directory-user.ts';

type Claims = Readonly<Record<string, unknown>> & { sub: string };

/** Returns the value of a claim: under its whole name, or where its dots lead. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>(fieldIn, claims);
}

const textAt = (claims: Claims, name: string): string => textOrEmpty(claimAt(claims, name));

/**
 * Returns the user whom the claims of a provider describe. A claim of another type counts as missing.
 *
 * @param claims claims of an identity token, or of the endpoint for user information
 */
export function userOf(
  claims: Claims,
  { groupsClaim = 'groups', usernameClaim = 'preferred_username' }: OidcSettings,
): DirectoryUser {
  const groups = claimAt(claims, groupsClaim);
  const listed = typeof groups === 'string' ? [groups] : Array.isArray(groups) ? groups : [];
  return {
    subject: claims.sub,
    username: textAt(claims, usernameClaim) || textAt(claims, 'email') || claims.sub,
    firstname: textAt(claims, 'name') || textAt(claims, 'given_name'),
    email: textAt(claims, 'email'),
    groups: listed.filter((one) => typeof one === 'string').slice(0, MOST_GROUPS),
  };
}

/**
 * Returns whether claims say anything about groups: an answer that is silent must not withdraw them.
 *
 * @param claims of an identity token or of the endpoint for user information
 */
export const saysGroups = (claims: Claims, { groupsClaim = 'groups' }: OidcSettings): boolean =>
  claimAt(claims, groupsClaim) !== undefined;
