using System.Buffers.Binary;
using System.Reflection;
using System.Reflection.Emit;

namespace Voron.Simulation.Faults;

/// <summary>The calls that a method's compiled code makes, found by walking its instructions.</summary>
internal static class MethodCalls
{
    private static readonly Dictionary<short, OpCode> Codes = typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(static field => (OpCode)field.GetValue(null)!)
        .ToDictionary(static code => code.Value);

    /// <summary>Offsets and targets of all calls, constructor calls and delegates included.</summary>
    internal static IEnumerable<(int Offset, MethodBase Target)> Of(MethodBase method)
    {
        byte[] code = method.GetMethodBody()?.GetILAsByteArray() ?? [];
        Type[]? typeArguments = method.DeclaringType is { IsGenericType: true } type ? type.GetGenericArguments() : null;
        Type[]? methodArguments = method.IsGenericMethod ? method.GetGenericArguments() : null;
        for (int at = 0; at < code.Length;)
        {
            int start = at;
            OpCode operation = Read(code, ref at);
            if (operation.OperandType == OperandType.InlineMethod)
            {
                int token = BinaryPrimitives.ReadInt32LittleEndian(code.AsSpan(at));
                if (method.Module.ResolveMethod(token, typeArguments, methodArguments) is { } target)
                {
                    yield return (start, target);
                }
            }

            at += OperandBytes(operation, code, at);
        }
    }

    private static OpCode Read(byte[] code, ref int at)
    {
        byte first = code[at++];
        return first == 0xFE ? Codes[unchecked((short)(0xFE00 | code[at++]))] : Codes[first];
    }

    private static int OperandBytes(OpCode operation, byte[] code, int at) => operation.OperandType switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        OperandType.InlineSwitch => 4 + (4 * BinaryPrimitives.ReadInt32LittleEndian(code.AsSpan(at))),
        _ => 4,
    };
}
