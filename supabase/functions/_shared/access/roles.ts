/** The roles of members, the least first: reads; also operates; also manages keys and members. */
export const ROLES = ["viewer", "operator", "owner"] as const;

export type Role = typeof ROLES[number];

/** Returns whether a role may do what `required` may. */
export function mayActAs(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}
