import { InvalidArgumentError } from "commander";
import { KEY_PERMISSIONS, type KeyPermission } from "../../actions/create_key.ts";

/** Reads permissions separated by commas. */
export function keyPermissions(value: string): KeyPermission[] {
  const names = [...new Set(value.split(",").map((name) => name.trim()))];
  const known = (name: string): name is KeyPermission =>
    (KEY_PERMISSIONS as readonly string[]).includes(name);
  if (!names.every(known)) {
    throw new InvalidArgumentError(`Expected some of ${KEY_PERMISSIONS.join(", ")}, separated by commas.`);
  }
  return names;
}
