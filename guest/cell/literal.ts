/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- a tree has eighty kinds of nodes: one that is not named here may run code */
import type { ESTree } from 'meriyah'

/** Whether a cell is made of literals and operators alone. It reads no name and calls nothing, so it can have replaced nothing. */
export const isLiteral = ({ body }: ESTree.Program): boolean => body.every(literal)

function literal(node: ESTree.Node): boolean {
  switch (node.type) {
    case 'EmptyStatement': case 'Literal': return true
    case 'ExpressionStatement': return literal(node.expression)
    case 'VariableDeclaration': return node.declarations.every(({ id, init }) => id.type === 'Identifier' && (init === null || literal(init)))
    case 'BinaryExpression': case 'LogicalExpression': return literal(node.left) && literal(node.right)
    case 'UnaryExpression': return literal(node.argument)
    case 'ConditionalExpression': return literal(node.test) && literal(node.consequent) && literal(node.alternate)
    case 'TemplateLiteral': return node.expressions.every(literal)
    case 'ArrayExpression': return node.elements.every(element => element === null || literal(element))
    default: return false
  }
}
