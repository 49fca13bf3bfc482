import { posix } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './source-files.ts';

/** What the rules need to know about a module. */
export interface ModuleFacts {
  readonly path: string;
  readonly imports: readonly ImportFact[];
  /** Names of `Math` that it uses, and `**` unless it raises 2, a literal to a literal, or a BigInt literal. */
  readonly math: readonly string[];
  /** Globals that only Node has. */
  readonly nodeGlobals: readonly string[];
  readonly readsEnvironment: boolean;
}

export interface ImportFact {
  readonly specifier: string;
  /** Erased by the compiler. */
  readonly typeOnly: boolean;
  /** Files of ours that it stands for: none for packages, two for `#crypto`. */
  readonly targets: readonly string[];
}

const subpaths: Readonly<Record<string, readonly string[]>> = {
  '#crypto': ['src/proof/crypto-node.ts', 'src/proof/crypto-portable.ts'],
};

function targetsOf(specifier: string, from: string, known: ReadonlySet<string>): readonly string[] {
  if (specifier in subpaths) return subpaths[specifier]!;
  if (!specifier.startsWith('.')) return [];
  const path = posix.join(posix.dirname(from), specifier);
  const candidates = [path, path.replace(/\.js$/, '.ts'), `${path}.ts`, `${path}/index.ts`];
  const found = candidates.find((candidate) => known.has(candidate));
  return [found ?? path];
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
}

/** The module that a node names: import, export from, import(), import('…').T, new URL('…', import.meta.url). */
function specifierOf(node: ts.Node): { specifier: string; typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    const module = node.moduleSpecifier;
    return module && ts.isStringLiteral(module)
      ? { specifier: module.text, typeOnly: isTypeOnly(node) }
      : undefined;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: node.argument.getText().slice(1, -1), typeOnly: true };
  }
  const dynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const url = ts.isNewExpression(node) && node.expression.getText() === 'URL';
  const [first, second] = dynamic || url ? (node.arguments ?? []) : [];
  if (first === undefined || !ts.isStringLiteralLike(first)) return undefined;
  if (url && second?.getText() !== 'import.meta.url') return undefined;
  return { specifier: first.text, typeOnly: false };
}

function mathOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'Math') return node.name.text;
  if (ts.isElementAccessExpression(node) && node.expression.getText() === 'Math') return '[…]';
  if (ts.isVariableDeclaration(node) && node.initializer?.getText() === 'Math') return '{…}';
  if (!ts.isBinaryExpression(node)) return undefined;
  const { kind } = node.operatorToken;
  const power =
    kind === ts.SyntaxKind.AsteriskAsteriskToken || kind === ts.SyntaxKind.AsteriskAsteriskEqualsToken;
  const literal = [node.left, node.right].every((side) => ts.isLiteralExpression(side));
  const bigints = [node.left, node.right].some((side) => ts.isBigIntLiteral(side));
  const two = node.left.getText() === '2';
  return power && !literal && !bigints && !two ? '**' : undefined;
}

function nodeGlobalOf(node: ts.Node): string | undefined {
  if (!ts.isIdentifier(node) || !['process', 'Buffer', '__dirname', 'require'].includes(node.text))
    return undefined;
  const { parent } = node;
  const isMember = ts.isPropertyAccessExpression(parent) && parent.name === node;
  const isName =
    ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent) || ts.isTypeElement(parent);
  return isMember || (isName && parent.name === node) ? undefined : node.text;
}

/** Reads one module. `known` are the paths of all modules, to resolve imports against. */
export function moduleFacts(file: SourceFile, known: ReadonlySet<string>): ModuleFacts {
  const imports: ImportFact[] = [];
  const math: string[] = [];
  const nodeGlobals: string[] = [];
  let readsEnvironment = false;
  const visit = (node: ts.Node): void => {
    const named = specifierOf(node);
    if (named) imports.push({ ...named, targets: targetsOf(named.specifier, file.path, known) });
    const name = mathOf(node);
    if (name !== undefined) math.push(name);
    const global = nodeGlobalOf(node);
    if (global !== undefined) nodeGlobals.push(global);
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'env') {
      readsEnvironment ||= /^(globalThis\.)?process$/.test(node.expression.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ESNext, true));
  return { path: file.path, imports, math, nodeGlobals, readsEnvironment };
}
