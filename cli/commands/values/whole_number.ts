import { InvalidArgumentError } from "commander";

const LARGEST = 2_147_483_647;

/** Makes a check for whole numbers from `smallest` to what a column can hold. */
export function wholeNumber(smallest: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^[0-9]+$/.test(value) || number < smallest || number > LARGEST) {
      throw new InvalidArgumentError(`Expected a whole number from ${smallest} to ${LARGEST}.`);
    }
    return number;
  };
}
