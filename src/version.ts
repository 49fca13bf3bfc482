/** Version of the engine, as every envelope names it; a test holds it against package.json. */
export const engineVersion = '0.16.0';
