	.file	"kernels_avx512.cpp"
	.text
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_122penalize_scratch_bytesEl, @function
_ZN10torchpaged12_GLOBAL__N_122penalize_scratch_bytesEl:
.LFB6837:
	.cfi_startproc
	addq	$63, %rdi
	shrq	$6, %rdi
	leaq	(%rdi,%rdi,4), %rax
	leaq	(%rdi,%rax,4), %rax
	salq	$4, %rax
	ret
	.cfi_endproc
.LFE6837:
	.size	_ZN10torchpaged12_GLOBAL__N_122penalize_scratch_bytesEl, .-_ZN10torchpaged12_GLOBAL__N_122penalize_scratch_bytesEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120sample_scratch_bytesEl, @function
_ZN10torchpaged12_GLOBAL__N_120sample_scratch_bytesEl:
.LFB6871:
	.cfi_startproc
	movq	%rdi, %rdx
	leaq	254(%rdi), %rax
	addq	$127, %rdx
	cmovns	%rdx, %rax
	sarq	$7, %rax
	leaq	(%rax,%rdi,2), %rax
	salq	$2, %rax
	ret
	.cfi_endproc
.LFE6871:
	.size	_ZN10torchpaged12_GLOBAL__N_120sample_scratch_bytesEl, .-_ZN10torchpaged12_GLOBAL__N_120sample_scratch_bytesEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_114partial_floatsINS0_11FloatEngineEEElRKNS_15AttentionParamsEi, @function
_ZN10torchpaged12_GLOBAL__N_114partial_floatsINS0_11FloatEngineEEElRKNS_15AttentionParamsEi:
.LFB6949:
	.cfi_startproc
	movslq	264(%rdi), %rdx
	movslq	%esi, %rsi
	leaq	15(%rdx), %rax
	movq	%rax, %rcx
	sarq	$63, %rcx
	shrq	$60, %rcx
	leaq	(%rax,%rcx), %rdx
	andl	$15, %edx
	subq	%rcx, %rdx
	subq	%rdx, %rax
	addq	$2, %rax
	imulq	%rsi, %rax
	ret
	.cfi_endproc
.LFE6949:
	.size	_ZN10torchpaged12_GLOBAL__N_114partial_floatsINS0_11FloatEngineEEElRKNS_15AttentionParamsEi, .-_ZN10torchpaged12_GLOBAL__N_114partial_floatsINS0_11FloatEngineEEElRKNS_15AttentionParamsEi
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_116linear_tile_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEiRKNS_12LinearParamsE, @function
_ZN10torchpaged12_GLOBAL__N_116linear_tile_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEiRKNS_12LinearParamsE:
.LFB6951:
	.cfi_startproc
	xorl	%eax, %eax
	cmpl	$5, 12(%rdi)
	setne	%al
	leal	10(,%rax,4), %eax
	ret
	.cfi_endproc
.LFE6951:
	.size	_ZN10torchpaged12_GLOBAL__N_116linear_tile_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEiRKNS_12LinearParamsE, .-_ZN10torchpaged12_GLOBAL__N_116linear_tile_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEiRKNS_12LinearParamsE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120linear_scratch_bytesINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEmRKNS_12LinearParamsEl, @function
_ZN10torchpaged12_GLOBAL__N_120linear_scratch_bytesINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEmRKNS_12LinearParamsEl:
.LFB6961:
	.cfi_startproc
	cmpl	$2, 12(%rdi)
	movq	80(%rdi), %rdx
	je	.L10
.L9:
	salq	$2, %rdx
	leaq	126(%rdx), %rax
	addq	$63, %rdx
	cmovns	%rdx, %rax
	salq	$7, %rsi
	sarq	$6, %rax
	salq	$10, %rax
	cmpq	%rsi, %rax
	cmovl	%rsi, %rax
	addq	$64, %rax
	ret
	.p2align 4,,10
	.p2align 3
.L10:
	addq	%rdx, %rdx
	jmp	.L9
	.cfi_endproc
.LFE6961:
	.size	_ZN10torchpaged12_GLOBAL__N_120linear_scratch_bytesINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEmRKNS_12LinearParamsEl, .-_ZN10torchpaged12_GLOBAL__N_120linear_scratch_bytesINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEmRKNS_12LinearParamsEl
	.align 2
	.p2align 4
	.type	_ZNK10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE8last_keyEv, @function
_ZNK10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE8last_keyEv:
.LFB7089:
	.cfi_startproc
	movq	8(%rdi), %r8
	movq	152(%rdi), %rsi
	movl	16(%r8), %ecx
	leal	-1(%rcx), %eax
	cltd
	idivl	%ecx
	movl	12(%r8), %eax
	movq	(%rdi), %rcx
	addl	%edx, %eax
	cltd
	idivl	256(%rcx)
	movq	%rsi, %rdx
	subq	160(%rdi), %rdx
	cltq
	addq	%rdx, %rax
	js	.L13
	cmpb	$0, 184(%rdi)
	je	.L11
	cmpb	$0, 185(%rdi)
	jne	.L11
	addq	$1, %rax
	cmpq	%rax, %rsi
	cmovg	%rax, %rsi
.L11:
	movq	%rsi, %rax
	ret
	.p2align 4,,10
	.p2align 3
.L13:
	xorl	%esi, %esi
	movq	%rsi, %rax
	ret
	.cfi_endproc
.LFE7089:
	.size	_ZNK10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE8last_keyEv, .-_ZNK10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE8last_keyEv
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi2ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi2ELi4EEEvPKfllS4_Pfb:
.LFB7252:
	.cfi_startproc
	movq	%rdi, %rax
	testb	%r9b, %r9b
	je	.L18
	vmovups	(%r8), %zmm12
	vmovups	64(%r8), %zmm11
	vmovups	128(%r8), %zmm10
	vmovups	192(%r8), %zmm9
	vmovups	256(%r8), %zmm8
	vmovups	320(%r8), %zmm7
	vmovups	384(%r8), %zmm6
	vmovups	448(%r8), %zmm5
.L15:
	testq	%rdx, %rdx
	jle	.L16
	salq	$8, %rdx
	addq	%rcx, %rdx
	.p2align 4,,10
	.p2align 3
.L17:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rcx), %zmm3
	addq	$256, %rcx
	vmovups	-192(%rcx), %zmm2
	vmovups	-128(%rcx), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vmovups	-64(%rcx), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rax,%rsi,4), %zmm4
	addq	$4, %rax
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rcx, %rdx
	jne	.L17
.L16:
	vmovups	%zmm12, (%r8)
	vmovups	%zmm11, 64(%r8)
	vmovups	%zmm10, 128(%r8)
	vmovups	%zmm9, 192(%r8)
	vmovups	%zmm8, 256(%r8)
	vmovups	%zmm7, 320(%r8)
	vmovups	%zmm6, 384(%r8)
	vmovups	%zmm5, 448(%r8)
	vzeroupper
	ret
.L18:
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm5
	jmp	.L15
	.cfi_endproc
.LFE7252:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi2ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi2ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi8EEEvPflPKfS5_S5_ll:
.LFB7254:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	salq	$2, %rsi
	movq	%r8, %rax
	leaq	320(%rdi,%rsi), %r11
	leaq	384(%rdi,%rsi), %r10
	leaq	448(%rdi,%rsi), %r8
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rsi), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rsi), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rsi), %r13
	pushq	%r12
	.cfi_offset 12, -48
	leaq	256(%rdi,%rsi), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	(%rdi,%rsi), %rbx
	cmpq	$0, 16(%rbp)
	vbroadcastss	(%rdx), %zmm10
	vbroadcastss	4(%rdx), %zmm9
	vmulps	(%rdi), %zmm10, %zmm24
	vmulps	64(%rdi), %zmm10, %zmm23
	vmulps	128(%rdi), %zmm10, %zmm22
	vmulps	192(%rdi), %zmm10, %zmm21
	vmulps	256(%rdi), %zmm10, %zmm20
	vmulps	320(%rdi), %zmm10, %zmm19
	vmulps	384(%rdi), %zmm10, %zmm18
	vmulps	(%rbx), %zmm9, %zmm17
	vmulps	(%r15), %zmm9, %zmm16
	vmulps	(%r14), %zmm9, %zmm15
	vmulps	0(%r13), %zmm9, %zmm14
	vmulps	(%r12), %zmm9, %zmm13
	vmulps	(%r11), %zmm9, %zmm12
	vmulps	(%r10), %zmm9, %zmm11
	vmulps	448(%rdi), %zmm10, %zmm10
	vmulps	(%r8), %zmm9, %zmm9
	jle	.L21
	movq	%rcx, %rdx
	movq	16(%rbp), %rcx
	leaq	0(,%r9,4), %rsi
	leaq	(%rdx,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L22:
	vbroadcastss	(%rdx), %zmm0
	vmovups	(%rax), %zmm8
	addq	$4, %rdx
	vmovups	64(%rax), %zmm7
	vmovups	128(%rax), %zmm6
	vmovups	192(%rax), %zmm5
	vmovups	256(%rax), %zmm4
	vmovups	320(%rax), %zmm3
	vmovups	384(%rax), %zmm2
	vmovups	448(%rax), %zmm1
	addq	%rsi, %rax
	vfmadd231ps	%zmm8, %zmm0, %zmm24
	vfmadd231ps	%zmm7, %zmm0, %zmm23
	vfmadd231ps	%zmm6, %zmm0, %zmm22
	vfmadd231ps	%zmm5, %zmm0, %zmm21
	vfmadd231ps	%zmm4, %zmm0, %zmm20
	vfmadd231ps	%zmm3, %zmm0, %zmm19
	vfmadd231ps	%zmm2, %zmm0, %zmm18
	vfmadd231ps	%zmm1, %zmm0, %zmm10
	vbroadcastss	252(%rdx), %zmm0
	vfmadd231ps	%zmm8, %zmm0, %zmm17
	vfmadd231ps	%zmm7, %zmm0, %zmm16
	vfmadd231ps	%zmm6, %zmm0, %zmm15
	vfmadd231ps	%zmm5, %zmm0, %zmm14
	vfmadd231ps	%zmm4, %zmm0, %zmm13
	vfmadd231ps	%zmm3, %zmm0, %zmm12
	vfmadd231ps	%zmm2, %zmm0, %zmm11
	vfmadd231ps	%zmm1, %zmm0, %zmm9
	cmpq	%rdx, %rcx
	jne	.L22
.L21:
	vmovups	%zmm24, (%rdi)
	vmovups	%zmm23, 64(%rdi)
	vmovups	%zmm22, 128(%rdi)
	vmovups	%zmm21, 192(%rdi)
	vmovups	%zmm20, 256(%rdi)
	vmovups	%zmm19, 320(%rdi)
	vmovups	%zmm18, 384(%rdi)
	vmovups	%zmm10, 448(%rdi)
	vmovups	%zmm17, (%rbx)
	vmovups	%zmm16, (%r15)
	vmovups	%zmm15, (%r14)
	vmovups	%zmm14, 0(%r13)
	vmovups	%zmm13, (%r12)
	vmovups	%zmm12, (%r11)
	vmovups	%zmm11, (%r10)
	vmovups	%zmm9, (%r8)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7254:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb:
.LFB7256:
	.cfi_startproc
	testb	%r9b, %r9b
	je	.L29
	vmovups	(%r8), %zmm16
	vmovups	64(%r8), %zmm15
	vmovups	128(%r8), %zmm14
	vmovups	192(%r8), %zmm13
	vmovups	256(%r8), %zmm12
	vmovups	320(%r8), %zmm11
	vmovups	384(%r8), %zmm10
	vmovups	448(%r8), %zmm9
	vmovups	512(%r8), %zmm8
	vmovups	576(%r8), %zmm7
	vmovups	640(%r8), %zmm6
	vmovups	704(%r8), %zmm5
.L26:
	testq	%rdx, %rdx
	jle	.L27
	movq	%rcx, %rax
	salq	$8, %rdx
	leaq	(%rsi,%rsi), %r9
	movq	%rdi, %rcx
	addq	%rax, %rdx
	.p2align 4,,10
	.p2align 3
.L28:
	vbroadcastss	(%rcx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vmovups	-192(%rax), %zmm2
	vmovups	-128(%rax), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vmovups	-64(%rax), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rcx,%rsi,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rcx,%r9,4), %zmm4
	addq	$4, %rcx
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rdx
	jne	.L28
.L27:
	vmovups	%zmm16, (%r8)
	vmovups	%zmm15, 64(%r8)
	vmovups	%zmm14, 128(%r8)
	vmovups	%zmm13, 192(%r8)
	vmovups	%zmm12, 256(%r8)
	vmovups	%zmm11, 320(%r8)
	vmovups	%zmm10, 384(%r8)
	vmovups	%zmm9, 448(%r8)
	vmovups	%zmm8, 512(%r8)
	vmovups	%zmm7, 576(%r8)
	vmovups	%zmm6, 640(%r8)
	vmovups	%zmm5, 704(%r8)
	vzeroupper
	ret
.L29:
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm5
	jmp	.L26
	.cfi_endproc
.LFE7256:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll:
.LFB7258:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdx, %r10
	movq	%r8, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$8, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -72(%rsp)
	movq	%r9, %rcx
	vbroadcastss	(%rdx), %zmm10
	leaq	0(,%rsi,4), %rdx
	vbroadcastss	4(%r10), %zmm9
	leaq	(%rdi,%rdx), %r8
	leaq	448(%rdi,%rdx), %r15
	vbroadcastss	8(%r10), %zmm0
	vmulps	(%rdi), %zmm10, %zmm31
	leaq	64(%rdi,%rdx), %r14
	leaq	128(%rdi,%rdx), %r13
	vmulps	(%r8), %zmm9, %zmm24
	leaq	192(%rdi,%rdx), %r12
	leaq	256(%rdi,%rdx), %rbx
	vmulps	(%r14), %zmm9, %zmm23
	leaq	320(%rdi,%rdx), %r9
	leaq	384(%rdi,%rdx), %r11
	vmulps	0(%r13), %zmm9, %zmm22
	vmulps	(%r12), %zmm9, %zmm21
	vmovq	%r15, %xmm7
	vmulps	(%rbx), %zmm9, %zmm20
	vmulps	(%r9), %zmm9, %zmm19
	vmulps	(%r11), %zmm9, %zmm18
	vmulps	(%r15), %zmm9, %zmm9
	leaq	0(,%rsi,8), %r15
	leaq	(%r8,%rdx), %rsi
	vmulps	(%rsi), %zmm0, %zmm17
	leaq	128(%rdi,%r15), %r10
	movq	%rsi, -64(%rsp)
	leaq	64(%rdi,%r15), %rsi
	vmulps	64(%rdi), %zmm10, %zmm30
	vmovq	%r10, %xmm1
	vmulps	128(%rdi), %zmm10, %zmm29
	vmulps	192(%rdi), %zmm10, %zmm28
	vmulps	256(%rdi), %zmm10, %zmm27
	vmulps	320(%rdi), %zmm10, %zmm26
	vmulps	384(%rdi), %zmm10, %zmm25
	vmulps	(%rsi), %zmm0, %zmm16
	vmulps	448(%rdi), %zmm10, %zmm10
	vmulps	(%r10), %zmm0, %zmm15
	leaq	192(%rdi,%r15), %r10
	cmpq	$0, 16(%rbp)
	vmulps	(%r10), %zmm0, %zmm14
	vmovq	%r10, %xmm2
	leaq	256(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm13
	vmovq	%r10, %xmm3
	leaq	320(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm12
	vmovq	%r10, %xmm4
	leaq	384(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm11
	vmovq	%r10, %xmm5
	leaq	448(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm0
	vmovq	%r10, %xmm6
	vmovaps	%zmm0, -56(%rsp)
	jle	.L32
	movq	-72(%rsp), %rdx
	movq	16(%rbp), %r10
	vmovq	%xmm7, -72(%rsp)
	salq	$2, %rcx
	vmovq	%xmm1, -80(%rsp)
	vmovaps	%zmm11, %zmm7
	vmovaps	%zmm10, %zmm1
	leaq	(%rdx,%r10,4), %r15
	vmovq	%xmm2, -88(%rsp)
	movq	%r13, %r10
	vmovaps	%zmm25, %zmm2
	vmovq	%xmm3, -96(%rsp)
	vmovaps	%zmm24, %zmm25
	vmovaps	%zmm15, %zmm3
	vmovaps	%zmm23, %zmm24
	vmovq	%xmm4, -104(%rsp)
	vmovaps	%zmm22, %zmm23
	vmovaps	%zmm14, %zmm4
	vmovaps	%zmm21, %zmm22
	vmovq	%xmm5, -112(%rsp)
	vmovaps	%zmm20, %zmm21
	vmovaps	%zmm13, %zmm5
	vmovaps	%zmm19, %zmm20
	vmovq	%xmm6, -120(%rsp)
	vmovaps	%zmm18, %zmm19
	vmovaps	%zmm12, %zmm6
	vmovaps	%zmm9, %zmm18
	.p2align 4,,10
	.p2align 3
.L33:
	vbroadcastss	(%rdx), %zmm0
	vmovups	(%rax), %zmm15
	addq	$4, %rdx
	vmovups	64(%rax), %zmm14
	vfmadd231ps	%zmm15, %zmm0, %zmm31
	vmovups	128(%rax), %zmm13
	vmovups	192(%rax), %zmm12
	vfmadd231ps	%zmm14, %zmm0, %zmm30
	vmovups	256(%rax), %zmm11
	vfmadd231ps	%zmm13, %zmm0, %zmm29
	vmovups	320(%rax), %zmm10
	vfmadd231ps	%zmm12, %zmm0, %zmm28
	vmovups	384(%rax), %zmm9
	vfmadd231ps	%zmm11, %zmm0, %zmm27
	vmovups	448(%rax), %zmm8
	vfmadd231ps	%zmm10, %zmm0, %zmm26
	vfmadd231ps	%zmm9, %zmm0, %zmm2
	addq	%rcx, %rax
	vfmadd231ps	%zmm8, %zmm0, %zmm1
	vbroadcastss	252(%rdx), %zmm0
	vfmadd231ps	%zmm15, %zmm0, %zmm25
	vfmadd231ps	%zmm14, %zmm0, %zmm24
	vfmadd231ps	%zmm13, %zmm0, %zmm23
	vfmadd231ps	%zmm12, %zmm0, %zmm22
	vfmadd231ps	%zmm11, %zmm0, %zmm21
	vfmadd231ps	%zmm10, %zmm0, %zmm20
	vfmadd231ps	%zmm9, %zmm0, %zmm19
	vfmadd231ps	%zmm8, %zmm0, %zmm18
	vbroadcastss	508(%rdx), %zmm0
	vfmadd231ps	%zmm15, %zmm0, %zmm17
	vfmadd231ps	%zmm14, %zmm0, %zmm16
	vfmadd231ps	%zmm13, %zmm0, %zmm3
	vfmadd231ps	%zmm12, %zmm0, %zmm4
	vfmadd231ps	%zmm11, %zmm0, %zmm5
	vfmadd231ps	%zmm10, %zmm0, %zmm6
	vfmadd231ps	%zmm9, %zmm0, %zmm7
	vfmadd213ps	-56(%rsp), %zmm8, %zmm0
	vmovaps	%zmm0, -56(%rsp)
	cmpq	%rdx, %r15
	jne	.L33
	vmovaps	%zmm18, %zmm9
	vmovaps	%zmm1, %zmm10
	movq	%r10, %r13
	vmovq	-80(%rsp), %xmm1
	vmovaps	%zmm19, %zmm18
	vmovaps	%zmm3, %zmm15
	vmovaps	%zmm20, %zmm19
	vmovq	-96(%rsp), %xmm3
	vmovaps	%zmm21, %zmm20
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm22, %zmm21
	vmovq	-104(%rsp), %xmm4
	vmovaps	%zmm23, %zmm22
	vmovaps	%zmm5, %zmm13
	vmovaps	%zmm24, %zmm23
	vmovq	-112(%rsp), %xmm5
	vmovaps	%zmm25, %zmm24
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm2, %zmm25
	vmovq	-120(%rsp), %xmm6
	vmovaps	%zmm7, %zmm11
	vmovq	-88(%rsp), %xmm2
	vmovq	-72(%rsp), %xmm7
.L32:
	vmovq	%xmm7, %rax
	vmovups	%zmm31, (%rdi)
	vmovups	%zmm30, 64(%rdi)
	vmovups	%zmm29, 128(%rdi)
	vmovups	%zmm28, 192(%rdi)
	vmovups	%zmm27, 256(%rdi)
	vmovups	%zmm26, 320(%rdi)
	vmovups	%zmm25, 384(%rdi)
	vmovups	%zmm10, 448(%rdi)
	vmovups	%zmm24, (%r8)
	vmovups	%zmm23, (%r14)
	vmovups	%zmm22, 0(%r13)
	vmovups	%zmm21, (%r12)
	vmovups	%zmm20, (%rbx)
	vmovups	%zmm19, (%r9)
	vmovups	%zmm18, (%r11)
	vmovups	%zmm9, (%rax)
	movq	-64(%rsp), %rax
	vmovups	%zmm17, (%rax)
	vmovq	%xmm1, %rax
	vmovaps	-56(%rsp), %zmm1
	vmovups	%zmm16, (%rsi)
	vmovups	%zmm15, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm14, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm13, (%rax)
	vmovq	%xmm4, %rax
	vmovups	%zmm12, (%rax)
	vmovq	%xmm5, %rax
	vmovups	%zmm11, (%rax)
	vmovq	%xmm6, %rax
	vmovups	%zmm1, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7258:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi4ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi4ELi4EEEvPKfllS4_Pfb:
.LFB7260:
	.cfi_startproc
	movq	%rdx, %r10
	testb	%r9b, %r9b
	je	.L40
	vmovups	(%r8), %zmm20
	vmovups	64(%r8), %zmm19
	vmovups	128(%r8), %zmm18
	vmovups	192(%r8), %zmm17
	vmovups	256(%r8), %zmm16
	vmovups	320(%r8), %zmm15
	vmovups	384(%r8), %zmm14
	vmovups	448(%r8), %zmm13
	vmovups	512(%r8), %zmm12
	vmovups	576(%r8), %zmm11
	vmovups	640(%r8), %zmm10
	vmovups	704(%r8), %zmm9
	vmovups	768(%r8), %zmm8
	vmovups	832(%r8), %zmm7
	vmovups	896(%r8), %zmm6
	vmovups	960(%r8), %zmm5
.L37:
	testq	%r10, %r10
	jle	.L38
	leaq	(%rsi,%rsi), %r9
	salq	$8, %r10
	movq	%rcx, %rax
	movq	%rdi, %rdx
	leaq	(%r9,%rsi), %r11
	leaq	(%rcx,%r10), %rcx
	.p2align 4,,10
	.p2align 3
.L39:
	vbroadcastss	(%rdx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vmovups	-192(%rax), %zmm2
	vmovups	-128(%rax), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm20
	vmovups	-64(%rax), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm19
	vfmadd231ps	%zmm1, %zmm4, %zmm18
	vfmadd231ps	%zmm0, %zmm4, %zmm17
	vbroadcastss	(%rdx,%rsi,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rdx,%r9,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rdx,%r11,4), %zmm4
	addq	$4, %rdx
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L39
.L38:
	vmovups	%zmm20, (%r8)
	vmovups	%zmm19, 64(%r8)
	vmovups	%zmm18, 128(%r8)
	vmovups	%zmm17, 192(%r8)
	vmovups	%zmm16, 256(%r8)
	vmovups	%zmm15, 320(%r8)
	vmovups	%zmm14, 384(%r8)
	vmovups	%zmm13, 448(%r8)
	vmovups	%zmm12, 512(%r8)
	vmovups	%zmm11, 576(%r8)
	vmovups	%zmm10, 640(%r8)
	vmovups	%zmm9, 704(%r8)
	vmovups	%zmm8, 768(%r8)
	vmovups	%zmm7, 832(%r8)
	vmovups	%zmm6, 896(%r8)
	vmovups	%zmm5, 960(%r8)
	vzeroupper
	ret
.L40:
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm5
	jmp	.L37
	.cfi_endproc
.LFE7260:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi4ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi4ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi4ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi4ELi8EEEvPflPKfS5_S5_ll:
.LFB7262:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rdx, %rsi
	leaq	0(,%r10,4), %rax
	leaq	384(%rdi,%rax), %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rax), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rax), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rax), %r13
	pushq	%r12
	.cfi_offset 12, -48
	leaq	256(%rdi,%rax), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	320(%rdi,%rax), %rbx
	andq	$-64, %rsp
	subq	$584, %rsp
	movq	%rcx, -56(%rsp)
	leaq	448(%rdi,%rax), %rcx
	movq	%r9, -72(%rsp)
	leaq	(%rdi,%rax), %r9
	vbroadcastss	(%rdx), %zmm0
	vmulps	(%rdi), %zmm0, %zmm17
	movq	%rcx, (%rsp)
	vmulps	448(%rdi), %zmm0, %zmm2
	movq	%r8, -64(%rsp)
	leaq	(%r9,%rax), %r8
	vmulps	64(%rdi), %zmm0, %zmm16
	vmulps	128(%rdi), %zmm0, %zmm15
	vmulps	192(%rdi), %zmm0, %zmm31
	vmulps	256(%rdi), %zmm0, %zmm30
	vmulps	320(%rdi), %zmm0, %zmm29
	vmovaps	%zmm2, 456(%rsp)
	vmulps	384(%rdi), %zmm0, %zmm28
	vbroadcastss	4(%rdx), %zmm0
	leaq	0(,%r10,8), %rdx
	vmulps	(%rcx), %zmm0, %zmm3
	leaq	64(%rdi,%rdx), %rcx
	vmulps	(%r9), %zmm0, %zmm27
	vmulps	(%r15), %zmm0, %zmm26
	vmulps	(%r14), %zmm0, %zmm25
	vmulps	0(%r13), %zmm0, %zmm14
	vmulps	(%r12), %zmm0, %zmm13
	vmulps	(%rbx), %zmm0, %zmm12
	vmulps	(%r11), %zmm0, %zmm11
	vmovq	%rcx, %xmm0
	vmovaps	%zmm3, 520(%rsp)
	vbroadcastss	8(%rsi), %zmm10
	vmulps	(%rcx), %zmm10, %zmm23
	leaq	128(%rdi,%rdx), %rcx
	cmpq	$0, 16(%rbp)
	vmulps	(%rcx), %zmm10, %zmm22
	vmovq	%rcx, %xmm2
	leaq	192(%rdi,%rdx), %rcx
	vbroadcastss	12(%rsi), %zmm9
	vmulps	(%rcx), %zmm10, %zmm21
	vmovq	%rcx, %xmm3
	leaq	256(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm20
	vmovq	%rcx, %xmm4
	leaq	320(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm19
	vmovq	%rcx, %xmm5
	leaq	384(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm18
	vmovq	%rcx, %xmm6
	leaq	(%r10,%r10,2), %rcx
	leaq	(%r8,%rax), %r10
	leaq	64(,%rcx,4), %rax
	vmulps	(%r8), %zmm10, %zmm24
	vmulps	(%r10), %zmm9, %zmm1
	leaq	(%rdi,%rax), %rsi
	leaq	448(%rdi,%rdx), %rdx
	vmovq	%rsi, %xmm8
	vmovq	%rdx, %xmm7
	vmulps	(%rdx), %zmm10, %zmm10
	leaq	0(,%rcx,4), %rdx
	vmovaps	%zmm1, 392(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	64(%rdi,%rax), %rsi
	movq	%rsi, -8(%rsp)
	vmovaps	%zmm1, 328(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	192(%rdi,%rdx), %rsi
	movq	%rsi, -16(%rsp)
	vmovaps	%zmm1, 264(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	192(%rdi,%rax), %rsi
	movq	%rsi, -24(%rsp)
	vmovaps	%zmm1, 200(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	256(%rdi,%rax), %rsi
	movq	%rsi, -32(%rsp)
	vmovaps	%zmm1, 136(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	384(%rdi,%rdx), %rsi
	movq	%rsi, -40(%rsp)
	vmovaps	%zmm1, 72(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	384(%rdi,%rax), %rsi
	vmulps	(%rsi), %zmm9, %zmm9
	movq	%rsi, -48(%rsp)
	vmovaps	%zmm1, 8(%rsp)
	jle	.L43
	movq	-72(%rsp), %rcx
	movq	-56(%rsp), %rdx
	vmovq	%xmm3, -72(%rsp)
	vmovaps	%zmm26, %zmm3
	movq	16(%rbp), %rsi
	movq	-64(%rsp), %rax
	vmovq	%xmm0, -56(%rsp)
	vmovaps	%zmm11, %zmm26
	vmovq	%xmm2, -64(%rsp)
	salq	$2, %rcx
	vmovaps	%zmm25, %zmm2
	vmovaps	%zmm14, %zmm0
	vmovaps	%zmm24, %zmm25
	vmovq	%xmm4, -80(%rsp)
	vmovaps	%zmm23, %zmm24
	vmovaps	%zmm27, %zmm4
	vmovaps	%zmm22, %zmm23
	vmovq	%xmm5, -88(%rsp)
	vmovaps	%zmm21, %zmm22
	vmovaps	%zmm28, %zmm5
	vmovaps	%zmm20, %zmm21
	vmovq	%xmm6, -96(%rsp)
	leaq	(%rdx,%rsi,4), %rsi
	vmovaps	%zmm19, %zmm20
	vmovaps	%zmm18, %zmm6
	vmovq	%xmm7, -104(%rsp)
	vmovaps	%zmm15, %zmm19
	vmovaps	%zmm12, %zmm27
	vmovq	%xmm8, -112(%rsp)
	vmovaps	%zmm13, %zmm28
	vmovaps	%zmm16, %zmm18
	vmovaps	%zmm10, %zmm7
	vmovaps	%zmm9, %zmm8
	.p2align 4,,10
	.p2align 3
.L44:
	vbroadcastss	(%rdx), %zmm9
	vmovups	(%rax), %zmm16
	addq	$4, %rdx
	vmovups	64(%rax), %zmm15
	vfmadd231ps	%zmm16, %zmm9, %zmm17
	vmovups	128(%rax), %zmm14
	vfmadd231ps	%zmm15, %zmm9, %zmm18
	vfmadd231ps	%zmm14, %zmm9, %zmm19
	vmovups	192(%rax), %zmm13
	vmovups	256(%rax), %zmm12
	vfmadd231ps	%zmm13, %zmm9, %zmm31
	vfmadd231ps	%zmm12, %zmm9, %zmm30
	vmovups	320(%rax), %zmm11
	vmovups	384(%rax), %zmm10
	vfmadd231ps	%zmm11, %zmm9, %zmm29
	vfmadd231ps	%zmm10, %zmm9, %zmm5
	vmovups	448(%rax), %zmm1
	addq	%rcx, %rax
	vfmadd213ps	456(%rsp), %zmm1, %zmm9
	vmovaps	%zmm9, 456(%rsp)
	vbroadcastss	252(%rdx), %zmm9
	vfmadd231ps	%zmm16, %zmm9, %zmm4
	vfmadd231ps	%zmm15, %zmm9, %zmm3
	vfmadd231ps	%zmm14, %zmm9, %zmm2
	vfmadd231ps	%zmm13, %zmm9, %zmm0
	vfmadd231ps	%zmm12, %zmm9, %zmm28
	vfmadd231ps	%zmm11, %zmm9, %zmm27
	vfmadd231ps	%zmm10, %zmm9, %zmm26
	vfmadd213ps	520(%rsp), %zmm1, %zmm9
	vmovaps	%zmm9, 520(%rsp)
	vbroadcastss	508(%rdx), %zmm9
	vfmadd231ps	%zmm16, %zmm9, %zmm25
	vfmadd231ps	%zmm15, %zmm9, %zmm24
	vfmadd231ps	%zmm14, %zmm9, %zmm23
	vfmadd231ps	%zmm13, %zmm9, %zmm22
	vfmadd231ps	%zmm12, %zmm9, %zmm21
	vfmadd231ps	%zmm11, %zmm9, %zmm20
	vfmadd231ps	%zmm10, %zmm9, %zmm6
	vfmadd231ps	%zmm1, %zmm9, %zmm7
	vbroadcastss	764(%rdx), %zmm9
	vfmadd213ps	392(%rsp), %zmm9, %zmm16
	vfmadd213ps	328(%rsp), %zmm9, %zmm15
	vfmadd213ps	72(%rsp), %zmm9, %zmm11
	vfmadd213ps	8(%rsp), %zmm9, %zmm10
	vfmadd213ps	264(%rsp), %zmm9, %zmm14
	vfmadd231ps	%zmm1, %zmm9, %zmm8
	vfmadd213ps	200(%rsp), %zmm9, %zmm13
	vfmadd213ps	136(%rsp), %zmm9, %zmm12
	vmovaps	%zmm16, 392(%rsp)
	vmovaps	%zmm15, 328(%rsp)
	vmovaps	%zmm14, 264(%rsp)
	vmovaps	%zmm13, 200(%rsp)
	vmovaps	%zmm12, 136(%rsp)
	vmovaps	%zmm11, 72(%rsp)
	vmovaps	%zmm10, 8(%rsp)
	cmpq	%rdx, %rsi
	jne	.L44
	vmovaps	%zmm18, %zmm16
	vmovaps	%zmm19, %zmm15
	vmovaps	%zmm26, %zmm11
	vmovaps	%zmm20, %zmm19
	vmovaps	%zmm27, %zmm12
	vmovaps	%zmm21, %zmm20
	vmovaps	%zmm28, %zmm13
	vmovaps	%zmm22, %zmm21
	vmovaps	%zmm0, %zmm14
	vmovq	-56(%rsp), %xmm0
	vmovaps	%zmm23, %zmm22
	vmovaps	%zmm3, %zmm26
	vmovaps	%zmm24, %zmm23
	vmovq	-72(%rsp), %xmm3
	vmovaps	%zmm25, %zmm24
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm2, %zmm25
	vmovq	-80(%rsp), %xmm4
	vmovaps	%zmm5, %zmm28
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm7, %zmm10
	vmovq	-64(%rsp), %xmm2
	vmovaps	%zmm8, %zmm9
	vmovq	-88(%rsp), %xmm5
	vmovq	-96(%rsp), %xmm6
	vmovq	-104(%rsp), %xmm7
	vmovq	-112(%rsp), %xmm8
.L43:
	vmovaps	456(%rsp), %zmm1
	movq	(%rsp), %rax
	vmovups	%zmm15, 128(%rdi)
	vmovups	%zmm17, (%rdi)
	vmovups	%zmm1, 448(%rdi)
	vmovaps	520(%rsp), %zmm1
	vmovups	%zmm16, 64(%rdi)
	vmovups	%zmm31, 192(%rdi)
	vmovups	%zmm30, 256(%rdi)
	vmovups	%zmm29, 320(%rdi)
	vmovups	%zmm28, 384(%rdi)
	vmovups	%zmm27, (%r9)
	vmovups	%zmm26, (%r15)
	vmovups	%zmm25, (%r14)
	vmovups	%zmm14, 0(%r13)
	vmovups	%zmm13, (%r12)
	vmovups	%zmm12, (%rbx)
	vmovups	%zmm11, (%r11)
	vmovups	%zmm1, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm24, (%r8)
	vmovups	%zmm23, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm22, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm21, (%rax)
	vmovq	%xmm4, %rax
	vmovaps	392(%rsp), %zmm4
	vmovups	%zmm20, (%rax)
	vmovq	%xmm5, %rax
	vmovaps	328(%rsp), %zmm5
	vmovups	%zmm19, (%rax)
	vmovq	%xmm6, %rax
	vmovups	%zmm18, (%rax)
	vmovq	%xmm7, %rax
	vmovups	%zmm10, (%rax)
	vmovq	%xmm8, %rax
	vmovups	%zmm4, (%r10)
	vmovups	%zmm5, (%rax)
	movq	-8(%rsp), %rax
	vmovaps	264(%rsp), %zmm6
	vmovaps	72(%rsp), %zmm3
	vmovaps	8(%rsp), %zmm4
	vmovups	%zmm6, (%rax)
	movq	-16(%rsp), %rax
	vmovaps	200(%rsp), %zmm7
	vmovaps	136(%rsp), %zmm2
	vmovups	%zmm7, (%rax)
	movq	-24(%rsp), %rax
	vmovups	%zmm2, (%rax)
	movq	-32(%rsp), %rax
	vmovups	%zmm3, (%rax)
	movq	-40(%rsp), %rax
	vmovups	%zmm4, (%rax)
	movq	-48(%rsp), %rax
	vmovups	%zmm9, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7262:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi4ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi4ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi5ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi5ELi4EEEvPKfllS4_Pfb:
.LFB7264:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rcx, %rax
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	testb	%r9b, %r9b
	je	.L51
	vmovups	(%r8), %zmm24
	vmovups	64(%r8), %zmm23
	vmovups	128(%r8), %zmm22
	vmovups	192(%r8), %zmm21
	vmovups	256(%r8), %zmm20
	vmovups	320(%r8), %zmm19
	vmovups	384(%r8), %zmm18
	vmovups	448(%r8), %zmm17
	vmovups	512(%r8), %zmm16
	vmovups	576(%r8), %zmm15
	vmovups	640(%r8), %zmm14
	vmovups	704(%r8), %zmm13
	vmovups	768(%r8), %zmm12
	vmovups	832(%r8), %zmm11
	vmovups	896(%r8), %zmm10
	vmovups	960(%r8), %zmm9
	vmovups	1024(%r8), %zmm8
	vmovups	1088(%r8), %zmm7
	vmovups	1152(%r8), %zmm6
	vmovups	1216(%r8), %zmm5
.L48:
	testq	%rsi, %rsi
	jle	.L49
	leaq	(%r10,%r10), %r9
	salq	$8, %rsi
	leaq	0(,%r10,4), %r11
	movq	%rdi, %rdx
	leaq	(%r9,%r10), %rbx
	leaq	(%rax,%rsi), %rcx
	.p2align 4,,10
	.p2align 3
.L50:
	vbroadcastss	(%rdx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vmovups	-192(%rax), %zmm2
	vmovups	-128(%rax), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm24
	vmovups	-64(%rax), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm23
	vfmadd231ps	%zmm1, %zmm4, %zmm22
	vfmadd231ps	%zmm0, %zmm4, %zmm21
	vbroadcastss	(%rdx,%r10,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm20
	vfmadd231ps	%zmm2, %zmm4, %zmm19
	vfmadd231ps	%zmm1, %zmm4, %zmm18
	vfmadd231ps	%zmm0, %zmm4, %zmm17
	vbroadcastss	(%rdx,%r9,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rdx,%rbx,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rdx,%r11,4), %zmm4
	addq	$4, %rdx
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L50
.L49:
	vmovups	%zmm24, (%r8)
	vmovups	%zmm23, 64(%r8)
	vmovups	%zmm22, 128(%r8)
	vmovups	%zmm21, 192(%r8)
	vmovups	%zmm20, 256(%r8)
	vmovups	%zmm19, 320(%r8)
	vmovups	%zmm18, 384(%r8)
	vmovups	%zmm17, 448(%r8)
	vmovups	%zmm16, 512(%r8)
	vmovups	%zmm15, 576(%r8)
	vmovups	%zmm14, 640(%r8)
	vmovups	%zmm13, 704(%r8)
	vmovups	%zmm12, 768(%r8)
	vmovups	%zmm11, 832(%r8)
	vmovups	%zmm10, 896(%r8)
	vmovups	%zmm9, 960(%r8)
	vmovups	%zmm8, 1024(%r8)
	vmovups	%zmm7, 1088(%r8)
	vmovups	%zmm6, 1152(%r8)
	vmovups	%zmm5, 1216(%r8)
	vzeroupper
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L51:
	.cfi_restore_state
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm21
	vmovaps	%zmm6, %zmm22
	vmovaps	%zmm6, %zmm23
	vmovaps	%zmm6, %zmm24
	vmovaps	%zmm6, %zmm5
	jmp	.L48
	.cfi_endproc
.LFE7264:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi5ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi5ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi5ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi5ELi4EEEvPflPKfS5_S5_ll:
.LFB7266:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %rax
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -16(%rsp)
	leaq	(%rax,%rax,2), %rcx
	vbroadcastss	(%rdx), %zmm9
	leaq	0(,%rax,4), %rdx
	movq	%r8, -24(%rsp)
	leaq	64(,%rcx,4), %r11
	leaq	64(%rdi,%rdx), %rbx
	leaq	(%rdi,%rdx), %r10
	vbroadcastss	4(%rsi), %zmm8
	movq	%r9, -32(%rsp)
	vmulps	(%rbx), %zmm8, %zmm20
	leaq	0(,%rax,8), %r8
	leaq	(%r10,%rdx), %r9
	vbroadcastss	12(%rsi), %zmm6
	vmovq	%rbx, %xmm1
	leaq	128(%rdi,%rdx), %rbx
	leaq	192(%rdi,%rcx,4), %rcx
	salq	$4, %rax
	vmulps	(%rbx), %zmm8, %zmm19
	leaq	64(%rdi,%r8), %r14
	leaq	128(%rdi,%r8), %r13
	vbroadcastss	8(%rsi), %zmm7
	leaq	192(%rdi,%r8), %r12
	vmovq	%rbx, %xmm0
	leaq	(%r9,%rdx), %r8
	leaq	(%rdi,%r11), %rbx
	leaq	64(%rdi,%r11), %r11
	vmulps	(%r8), %zmm6, %zmm15
	vmulps	(%rbx), %zmm6, %zmm14
	leaq	192(%rdi,%rdx), %r15
	vmovq	%rcx, %xmm2
	vmulps	(%r11), %zmm6, %zmm13
	vmulps	(%rcx), %zmm6, %zmm6
	leaq	(%r8,%rdx), %rcx
	vmulps	(%rdi), %zmm9, %zmm24
	movq	%rcx, -8(%rsp)
	vmulps	64(%rdi), %zmm9, %zmm23
	vmulps	128(%rdi), %zmm9, %zmm22
	vmulps	(%r10), %zmm8, %zmm21
	vmulps	(%r9), %zmm7, %zmm18
	vmulps	(%r14), %zmm7, %zmm17
	vmulps	0(%r13), %zmm7, %zmm16
	vmulps	192(%rdi), %zmm9, %zmm9
	vmulps	(%r15), %zmm8, %zmm8
	vmulps	(%r12), %zmm7, %zmm7
	vbroadcastss	16(%rsi), %zmm5
	leaq	64(%rdi,%rax), %rsi
	vmulps	(%rsi), %zmm5, %zmm11
	vmovq	%rsi, %xmm3
	cmpq	$0, 16(%rbp)
	leaq	128(%rdi,%rax), %rsi
	leaq	192(%rdi,%rax), %rax
	vmulps	(%rcx), %zmm5, %zmm12
	vmulps	(%rsi), %zmm5, %zmm10
	vmovq	%rsi, %xmm25
	vmovq	%rax, %xmm26
	vmulps	(%rax), %zmm5, %zmm5
	jle	.L55
	movq	-32(%rsp), %rsi
	movq	-16(%rsp), %rax
	vmovdqa64	%xmm1, %xmm27
	vmovdqa64	%xmm0, %xmm28
	movq	16(%rbp), %rcx
	movq	-24(%rsp), %rdx
	vmovdqa64	%xmm2, %xmm29
	vmovdqa64	%xmm3, %xmm30
	salq	$2, %rsi
	leaq	(%rax,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L56:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$4, %rax
	vmovups	64(%rdx), %zmm2
	vfmadd231ps	%zmm3, %zmm4, %zmm24
	vmovups	128(%rdx), %zmm1
	vmovups	192(%rdx), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm23
	vfmadd231ps	%zmm1, %zmm4, %zmm22
	addq	%rsi, %rdx
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	252(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm21
	vfmadd231ps	%zmm2, %zmm4, %zmm20
	vfmadd231ps	%zmm1, %zmm4, %zmm19
	vfmadd231ps	%zmm0, %zmm4, %zmm8
	vbroadcastss	508(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm18
	vfmadd231ps	%zmm2, %zmm4, %zmm17
	vfmadd231ps	%zmm1, %zmm4, %zmm16
	vfmadd231ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	764(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm15
	vfmadd231ps	%zmm2, %zmm4, %zmm14
	vfmadd231ps	%zmm1, %zmm4, %zmm13
	vfmadd231ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	1020(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L56
	vmovdqa64	%xmm27, %xmm1
	vmovdqa64	%xmm28, %xmm0
	vmovdqa64	%xmm29, %xmm2
	vmovdqa64	%xmm30, %xmm3
.L55:
	vmovq	%xmm1, %rax
	vmovups	%zmm24, (%rdi)
	vmovups	%zmm23, 64(%rdi)
	vmovups	%zmm22, 128(%rdi)
	vmovups	%zmm9, 192(%rdi)
	vmovups	%zmm21, (%r10)
	vmovups	%zmm20, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm19, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm8, (%r15)
	vmovups	%zmm18, (%r9)
	vmovups	%zmm17, (%r14)
	vmovups	%zmm16, 0(%r13)
	vmovups	%zmm7, (%r12)
	vmovups	%zmm15, (%r8)
	vmovups	%zmm14, (%rbx)
	vmovups	%zmm13, (%r11)
	vmovups	%zmm6, (%rax)
	movq	-8(%rsp), %rax
	vmovups	%zmm12, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm11, (%rax)
	vmovq	%xmm25, %rax
	vmovups	%zmm10, (%rax)
	vmovq	%xmm26, %rax
	vmovups	%zmm5, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7266:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi5ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi5ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi6ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi6ELi4EEEvPKfllS4_Pfb:
.LFB7268:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	testb	%r9b, %r9b
	je	.L63
	vmovups	(%r8), %zmm28
	vmovups	64(%r8), %zmm27
	vmovups	128(%r8), %zmm26
	vmovups	192(%r8), %zmm25
	vmovups	256(%r8), %zmm24
	vmovups	320(%r8), %zmm23
	vmovups	384(%r8), %zmm22
	vmovups	448(%r8), %zmm21
	vmovups	512(%r8), %zmm20
	vmovups	576(%r8), %zmm19
	vmovups	640(%r8), %zmm18
	vmovups	704(%r8), %zmm17
	vmovups	768(%r8), %zmm16
	vmovups	832(%r8), %zmm15
	vmovups	896(%r8), %zmm14
	vmovups	960(%r8), %zmm13
	vmovups	1024(%r8), %zmm12
	vmovups	1088(%r8), %zmm11
	vmovups	1152(%r8), %zmm10
	vmovups	1216(%r8), %zmm9
	vmovups	1280(%r8), %zmm8
	vmovups	1344(%r8), %zmm7
	vmovups	1408(%r8), %zmm6
	vmovups	1472(%r8), %zmm5
.L60:
	testq	%rsi, %rsi
	jle	.L61
	leaq	(%rdi,%rdi), %r10
	leaq	0(,%rdi,4), %r9
	salq	$8, %rsi
	movq	%rcx, %rdx
	leaq	(%r10,%rdi), %rbx
	leaq	(%r9,%rdi), %r11
	leaq	(%rcx,%rsi), %rcx
	.p2align 4,,10
	.p2align 3
.L62:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$256, %rdx
	vmovups	-192(%rdx), %zmm2
	vmovups	-128(%rdx), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm28
	vmovups	-64(%rdx), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm27
	vfmadd231ps	%zmm1, %zmm4, %zmm26
	vfmadd231ps	%zmm0, %zmm4, %zmm25
	vbroadcastss	(%rax,%rdi,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm24
	vfmadd231ps	%zmm2, %zmm4, %zmm23
	vfmadd231ps	%zmm1, %zmm4, %zmm22
	vfmadd231ps	%zmm0, %zmm4, %zmm21
	vbroadcastss	(%rax,%r10,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm20
	vfmadd231ps	%zmm2, %zmm4, %zmm19
	vfmadd231ps	%zmm1, %zmm4, %zmm18
	vfmadd231ps	%zmm0, %zmm4, %zmm17
	vbroadcastss	(%rax,%rbx,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rax,%r9,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rax,%r11,4), %zmm4
	addq	$4, %rax
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rdx, %rcx
	jne	.L62
.L61:
	vmovups	%zmm28, (%r8)
	vmovups	%zmm27, 64(%r8)
	vmovups	%zmm26, 128(%r8)
	vmovups	%zmm25, 192(%r8)
	vmovups	%zmm24, 256(%r8)
	vmovups	%zmm23, 320(%r8)
	vmovups	%zmm22, 384(%r8)
	vmovups	%zmm21, 448(%r8)
	vmovups	%zmm20, 512(%r8)
	vmovups	%zmm19, 576(%r8)
	vmovups	%zmm18, 640(%r8)
	vmovups	%zmm17, 704(%r8)
	vmovups	%zmm16, 768(%r8)
	vmovups	%zmm15, 832(%r8)
	vmovups	%zmm14, 896(%r8)
	vmovups	%zmm13, 960(%r8)
	vmovups	%zmm12, 1024(%r8)
	vmovups	%zmm11, 1088(%r8)
	vmovups	%zmm10, 1152(%r8)
	vmovups	%zmm9, 1216(%r8)
	vmovups	%zmm8, 1280(%r8)
	vmovups	%zmm7, 1344(%r8)
	vmovups	%zmm6, 1408(%r8)
	vmovups	%zmm5, 1472(%r8)
	vzeroupper
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L63:
	.cfi_restore_state
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm21
	vmovaps	%zmm6, %zmm22
	vmovaps	%zmm6, %zmm23
	vmovaps	%zmm6, %zmm24
	vmovaps	%zmm6, %zmm25
	vmovaps	%zmm6, %zmm26
	vmovaps	%zmm6, %zmm27
	vmovaps	%zmm6, %zmm28
	vmovaps	%zmm6, %zmm5
	jmp	.L60
	.cfi_endproc
.LFE7268:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi6ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi6ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi6ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi6ELi4EEEvPflPKfS5_S5_ll:
.LFB7270:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	movq	%rdx, %r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -40(%rsp)
	leaq	0(,%rsi,4), %rcx
	vbroadcastss	(%rdx), %zmm10
	leaq	(%rdi,%rcx), %r10
	vbroadcastss	4(%rdx), %zmm9
	leaq	0(,%rsi,8), %rdx
	movq	%r9, -56(%rsp)
	vbroadcastss	8(%r15), %zmm8
	leaq	(%r10,%rcx), %r9
	leaq	128(%rdi,%rdx), %rsi
	vmulps	(%rsi), %zmm8, %zmm20
	leaq	64(%rdi,%rdx), %rbx
	movq	%r8, -48(%rsp)
	vmovq	%rsi, %xmm4
	vmulps	(%r9), %zmm8, %zmm22
	leaq	(%r9,%rcx), %r8
	leaq	192(%rdi,%rdx), %rsi
	vbroadcastss	12(%r15), %zmm7
	leaq	(%rax,%rax,2), %rdx
	vmulps	(%rbx), %zmm8, %zmm21
	vmovq	%rsi, %xmm0
	vbroadcastss	16(%r15), %zmm6
	vmulps	(%rsi), %zmm8, %zmm8
	leaq	64(,%rdx,4), %rsi
	leaq	64(%rdi,%rcx), %r14
	leaq	(%rdi,%rsi), %r11
	leaq	64(%rdi,%rsi), %rsi
	vmulps	(%r8), %zmm7, %zmm19
	vmulps	(%rsi), %zmm7, %zmm17
	vmovq	%rsi, %xmm2
	leaq	192(%rdi,%rdx,4), %rsi
	movq	%rax, %rdx
	leaq	16(%rcx,%rax), %rax
	salq	$4, %rdx
	leaq	128(%rdi,%rcx), %r13
	salq	$2, %rax
	leaq	192(%rdi,%rcx), %r12
	vmovq	%rsi, %xmm3
	vmulps	(%r11), %zmm7, %zmm18
	vmovq	%r11, %xmm1
	leaq	64(%rdi,%rdx), %r11
	vmulps	(%rsi), %zmm7, %zmm7
	leaq	(%r8,%rcx), %rsi
	vmovq	%r11, %xmm29
	vmulps	(%rdi), %zmm10, %zmm28
	vmulps	64(%rdi), %zmm10, %zmm27
	vmulps	128(%rdi), %zmm10, %zmm26
	vmulps	(%r10), %zmm9, %zmm25
	vmulps	(%r14), %zmm9, %zmm24
	vmulps	0(%r13), %zmm9, %zmm23
	vmulps	192(%rdi), %zmm10, %zmm10
	vmulps	(%r12), %zmm9, %zmm9
	vmulps	(%rsi), %zmm6, %zmm16
	vbroadcastss	20(%r15), %zmm5
	leaq	(%rdi,%rax), %r15
	vmulps	(%r11), %zmm6, %zmm15
	cmpq	$0, 16(%rbp)
	movq	%r15, -16(%rsp)
	leaq	128(%rdi,%rdx), %r11
	vmulps	(%r15), %zmm5, %zmm12
	leaq	64(%rdi,%rax), %r15
	vmovq	%r11, %xmm30
	vmulps	(%r11), %zmm6, %zmm14
	movq	%r15, -24(%rsp)
	leaq	192(%rdi,%rdx), %r11
	leaq	(%rsi,%rcx), %rdx
	vmulps	(%r15), %zmm5, %zmm11
	movq	%rdx, -8(%rsp)
	leaq	128(%rdi,%rax), %r15
	vmovq	%r11, %xmm31
	vmulps	(%rdx), %zmm5, %zmm13
	movq	%r15, -32(%rsp)
	vmulps	(%r11), %zmm6, %zmm6
	vmulps	(%r15), %zmm5, %zmm5
	jle	.L67
	movq	-56(%rsp), %r15
	movq	-40(%rsp), %rax
	vmovq	%xmm2, -56(%rsp)
	movq	16(%rbp), %r11
	movq	-48(%rsp), %rdx
	vmovq	%xmm0, -40(%rsp)
	salq	$2, %r15
	vmovq	%xmm1, -48(%rsp)
	movq	%r15, %rcx
	vmovq	%xmm3, -64(%rsp)
	leaq	(%rax,%r11,4), %r15
	vmovq	%xmm4, %r11
	.p2align 4,,10
	.p2align 3
.L68:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$4, %rax
	vmovups	64(%rdx), %zmm2
	vfmadd231ps	%zmm3, %zmm4, %zmm28
	vmovups	128(%rdx), %zmm1
	vmovups	192(%rdx), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm27
	vfmadd231ps	%zmm1, %zmm4, %zmm26
	addq	%rcx, %rdx
	vfmadd231ps	%zmm0, %zmm4, %zmm10
	vbroadcastss	252(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm25
	vfmadd231ps	%zmm2, %zmm4, %zmm24
	vfmadd231ps	%zmm1, %zmm4, %zmm23
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	508(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm22
	vfmadd231ps	%zmm2, %zmm4, %zmm21
	vfmadd231ps	%zmm1, %zmm4, %zmm20
	vfmadd231ps	%zmm0, %zmm4, %zmm8
	vbroadcastss	764(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm19
	vfmadd231ps	%zmm2, %zmm4, %zmm18
	vfmadd231ps	%zmm1, %zmm4, %zmm17
	vfmadd231ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	1020(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	1276(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm13
	vfmadd231ps	%zmm2, %zmm4, %zmm12
	vfmadd231ps	%zmm1, %zmm4, %zmm11
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %r15
	jne	.L68
	vmovq	-40(%rsp), %xmm0
	vmovq	-48(%rsp), %xmm1
	vmovq	%r11, %xmm4
	vmovq	-56(%rsp), %xmm2
	vmovq	-64(%rsp), %xmm3
.L67:
	vmovq	%xmm4, %rax
	vmovups	%zmm28, (%rdi)
	vmovups	%zmm27, 64(%rdi)
	vmovups	%zmm26, 128(%rdi)
	vmovups	%zmm10, 192(%rdi)
	vmovups	%zmm25, (%r10)
	vmovups	%zmm24, (%r14)
	vmovups	%zmm23, 0(%r13)
	vmovups	%zmm9, (%r12)
	vmovups	%zmm22, (%r9)
	vmovups	%zmm21, (%rbx)
	vmovups	%zmm20, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm8, (%rax)
	vmovq	%xmm1, %rax
	vmovups	%zmm19, (%r8)
	vmovups	%zmm18, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm17, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm7, (%rax)
	vmovq	%xmm29, %rax
	vmovups	%zmm16, (%rsi)
	vmovups	%zmm15, (%rax)
	vmovq	%xmm30, %rax
	vmovups	%zmm14, (%rax)
	vmovq	%xmm31, %rax
	vmovups	%zmm6, (%rax)
	movq	-8(%rsp), %rax
	vmovups	%zmm13, (%rax)
	movq	-16(%rsp), %rax
	vmovups	%zmm12, (%rax)
	movq	-24(%rsp), %rax
	vmovups	%zmm11, (%rax)
	movq	-32(%rsp), %rax
	vmovups	%zmm5, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7270:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi6ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi6ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi4EEEvPflPKfS5_S5_ll:
.LFB7302:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	leaq	64(%rdi,%rcx), %r11
	leaq	128(%rdi,%rcx), %r10
	leaq	192(%rdi,%rcx), %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	.cfi_offset 12, -24
	leaq	(%rdi,%rcx), %r12
	pushq	%rbx
	.cfi_offset 3, -32
	movq	16(%rbp), %rbx
	vbroadcastss	(%rdx), %zmm6
	vbroadcastss	4(%rdx), %zmm5
	vmulps	(%rdi), %zmm6, %zmm12
	vmulps	64(%rdi), %zmm6, %zmm11
	vmulps	128(%rdi), %zmm6, %zmm10
	vmulps	(%r12), %zmm5, %zmm9
	vmulps	(%r11), %zmm5, %zmm8
	vmulps	(%r10), %zmm5, %zmm7
	vmulps	192(%rdi), %zmm6, %zmm6
	vmulps	(%rsi), %zmm5, %zmm5
	testq	%rbx, %rbx
	jle	.L72
	leaq	0(,%r9,4), %rdx
	leaq	(%rax,%rbx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L73:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%r8), %zmm3
	addq	$4, %rax
	vmovups	64(%r8), %zmm2
	vmovups	128(%r8), %zmm1
	vmovups	192(%r8), %zmm0
	addq	%rdx, %r8
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	252(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm9
	vfmadd231ps	%zmm2, %zmm4, %zmm8
	vfmadd231ps	%zmm1, %zmm4, %zmm7
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L73
.L72:
	vmovups	%zmm12, (%rdi)
	vmovups	%zmm11, 64(%rdi)
	vmovups	%zmm10, 128(%rdi)
	vmovups	%zmm6, 192(%rdi)
	vmovups	%zmm9, (%r12)
	vmovups	%zmm8, (%r11)
	vmovups	%zmm7, (%r10)
	vmovups	%zmm5, (%rsi)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7302:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll:
.LFB7304:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	salq	$3, %r10
	leaq	(%rdi,%rcx), %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rcx), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rcx), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rcx), %r13
	addq	%rsi, %rcx
	pushq	%r12
	.cfi_offset 12, -48
	leaq	64(%rdi,%r10), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	16(%rbp), %r11
	leaq	128(%rdi,%r10), %rbx
	leaq	192(%rdi,%r10), %r10
	vbroadcastss	(%rdx), %zmm7
	vbroadcastss	4(%rdx), %zmm6
	vbroadcastss	8(%rdx), %zmm5
	vmulps	(%rdi), %zmm7, %zmm16
	vmulps	64(%rdi), %zmm7, %zmm15
	vmulps	128(%rdi), %zmm7, %zmm14
	vmulps	(%rsi), %zmm6, %zmm13
	vmulps	(%r15), %zmm6, %zmm12
	vmulps	(%r14), %zmm6, %zmm11
	vmulps	(%rcx), %zmm5, %zmm10
	vmulps	(%r12), %zmm5, %zmm9
	vmulps	(%rbx), %zmm5, %zmm8
	vmulps	192(%rdi), %zmm7, %zmm7
	vmulps	0(%r13), %zmm6, %zmm6
	vmulps	(%r10), %zmm5, %zmm5
	testq	%r11, %r11
	jle	.L77
	salq	$2, %r9
	leaq	(%rax,%r11,4), %rdx
	.p2align 4,,10
	.p2align 3
.L78:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%r8), %zmm3
	addq	$4, %rax
	vmovups	64(%r8), %zmm2
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vmovups	128(%r8), %zmm1
	vmovups	192(%r8), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	addq	%r9, %r8
	vfmadd231ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	252(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm13
	vfmadd231ps	%zmm2, %zmm4, %zmm12
	vfmadd231ps	%zmm1, %zmm4, %zmm11
	vfmadd231ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	508(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm10
	vfmadd231ps	%zmm2, %zmm4, %zmm9
	vfmadd231ps	%zmm1, %zmm4, %zmm8
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rdx
	jne	.L78
.L77:
	vmovups	%zmm16, (%rdi)
	vmovups	%zmm15, 64(%rdi)
	vmovups	%zmm14, 128(%rdi)
	vmovups	%zmm7, 192(%rdi)
	vmovups	%zmm13, (%rsi)
	vmovups	%zmm12, (%r15)
	vmovups	%zmm11, (%r14)
	vmovups	%zmm6, 0(%r13)
	vmovups	%zmm10, (%rcx)
	vmovups	%zmm9, (%r12)
	vmovups	%zmm8, (%rbx)
	vmovups	%zmm5, (%r10)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7304:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi2EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi2EEEvPflPKfS5_S5_ll:
.LFB7342:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	vbroadcastss	(%rdx), %zmm4
	leaq	(%rdi,%rcx), %r10
	leaq	64(%rdi,%rcx), %rsi
	vbroadcastss	4(%rdx), %zmm3
	vmulps	(%rdi), %zmm4, %zmm6
	vmulps	(%r10), %zmm3, %zmm5
	vmulps	64(%rdi), %zmm4, %zmm4
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	16(%rbp), %r11
	vmulps	(%rsi), %zmm3, %zmm3
	testq	%r11, %r11
	jle	.L82
	leaq	0(,%r9,4), %rdx
	leaq	(%rax,%r11,4), %rcx
	.p2align 4,,10
	.p2align 3
.L83:
	vbroadcastss	(%rax), %zmm2
	vmovups	(%r8), %zmm1
	addq	$4, %rax
	vmovups	64(%r8), %zmm0
	addq	%rdx, %r8
	vfmadd231ps	%zmm1, %zmm2, %zmm6
	vfmadd231ps	%zmm0, %zmm2, %zmm4
	vbroadcastss	252(%rax), %zmm2
	vfmadd231ps	%zmm1, %zmm2, %zmm5
	vfmadd231ps	%zmm0, %zmm2, %zmm3
	cmpq	%rax, %rcx
	jne	.L83
.L82:
	vmovups	%zmm6, (%rdi)
	vmovups	%zmm4, 64(%rdi)
	vmovups	%zmm5, (%r10)
	vmovups	%zmm3, (%rsi)
	vzeroupper
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7342:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi2EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi2EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll:
.LFB7344:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	leaq	64(%rdi,%rsi,8), %rsi
	leaq	(%rdi,%rcx), %r10
	leaq	(%r10,%rcx), %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	.cfi_offset 12, -24
	leaq	64(%rdi,%rcx), %r12
	pushq	%rbx
	.cfi_offset 3, -32
	movq	16(%rbp), %rbx
	vbroadcastss	(%rdx), %zmm5
	vbroadcastss	4(%rdx), %zmm4
	vbroadcastss	8(%rdx), %zmm3
	vmulps	(%rdi), %zmm5, %zmm8
	vmulps	(%r10), %zmm4, %zmm7
	vmulps	(%r11), %zmm3, %zmm6
	vmulps	64(%rdi), %zmm5, %zmm5
	vmulps	(%r12), %zmm4, %zmm4
	vmulps	(%rsi), %zmm3, %zmm3
	testq	%rbx, %rbx
	jle	.L87
	leaq	0(,%r9,4), %rdx
	leaq	(%rax,%rbx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L88:
	vbroadcastss	(%rax), %zmm2
	vmovups	(%r8), %zmm1
	addq	$4, %rax
	vmovups	64(%r8), %zmm0
	vfmadd231ps	%zmm1, %zmm2, %zmm8
	addq	%rdx, %r8
	vfmadd231ps	%zmm0, %zmm2, %zmm5
	vbroadcastss	252(%rax), %zmm2
	vfmadd231ps	%zmm1, %zmm2, %zmm7
	vfmadd231ps	%zmm0, %zmm2, %zmm4
	vbroadcastss	508(%rax), %zmm2
	vfmadd231ps	%zmm1, %zmm2, %zmm6
	vfmadd231ps	%zmm0, %zmm2, %zmm3
	cmpq	%rax, %rcx
	jne	.L88
.L87:
	vmovups	%zmm8, (%rdi)
	vmovups	%zmm5, 64(%rdi)
	vmovups	%zmm7, (%r10)
	vmovups	%zmm4, (%r12)
	vmovups	%zmm6, (%r11)
	vmovups	%zmm3, (%rsi)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7344:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll
	.align 2
	.p2align 4
	.type	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_7Float16EEEvlPKf, @function
_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_7Float16EEEvlPKf:
.LFB7101:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	.cfi_offset 14, -24
	movq	%rdx, %r14
	pushq	%r13
	.cfi_offset 13, -32
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$64, %rsp
	.cfi_offset 12, -40
	.cfi_offset 3, -48
	movq	(%rdi), %rax
	movq	40(%rax), %rdx
	movq	120(%rax), %rcx
	testq	%rdx, %rdx
	je	.L92
	movq	(%rdx,%rsi,8), %rsi
.L92:
	movq	16(%r13), %rdx
	imulq	72(%rax), %rsi
	addq	8(%r13), %rsi
	leaq	(%rcx,%rsi,2), %rcx
	testq	%rdx, %rdx
	jle	.L102
	xorl	%ebx, %ebx
	leaq	32(%rsp), %r12
	jmp	.L98
	.p2align 4,,10
	.p2align 3
.L105:
	vcvtps2ph	$8, %zmm0, %ymm0
	vmovdqu	%ymm0, (%rcx)
	movq	16(%r13), %rdx
	addq	$16, %rbx
	addq	$32, %rcx
	cmpq	%rdx, %rbx
	jge	.L104
.L97:
	movq	0(%r13), %rax
.L98:
	cmpq	$0, 112(%rax)
	vmovups	(%r14,%rbx,4), %zmm0
	je	.L94
	vmulps	152(%r13,%rbx,4), %zmm0, %zmm0
.L94:
	cmpq	$0, 96(%rax)
	je	.L95
	vaddps	24(%r13,%rbx,4), %zmm0, %zmm0
.L95:
	leaq	15(%rbx), %rax
	cmpq	%rdx, %rax
	jl	.L105
	subq	%rbx, %rdx
	movq	%rcx, %rdi
	movq	%r12, %rsi
	vcvtps2ph	$8, %zmm0, 32(%rsp)
	addq	%rdx, %rdx
	vzeroupper
	call	memcpy@PLT
	movq	16(%r13), %rdx
	addq	$16, %rbx
	movq	%rax, %rcx
	addq	$32, %rcx
	cmpq	%rbx, %rdx
	jg	.L97
.L102:
	leaq	-32(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L104:
	.cfi_restore_state
	vzeroupper
	leaq	-32(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7101:
	.size	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_7Float16EEEvlPKf, .-_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_7Float16EEEvlPKf
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18logit_atERKNS_8LogitRowEl, @function
_ZN10torchpaged12_GLOBAL__N_18logit_atERKNS_8LogitRowEl:
.LFB6803:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	movl	8(%rdi), %eax
	movq	(%rdi), %rdx
	cmpl	$1, %eax
	je	.L107
	cmpl	$2, %eax
	je	.L108
	vmovss	(%rdx,%rsi,4), %xmm0
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L107:
	.cfi_restore_state
	movzwl	(%rdx,%rsi,2), %eax
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%xmm0, -62(%rsp)
	movw	%ax, -64(%rsp)
	vmovdqu8	%xmm0, -48(%rsp)
	vcvtph2ps	-64(%rsp), %zmm0
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L108:
	.cfi_restore_state
	movzwl	(%rdx,%rsi,2), %eax
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%xmm0, -62(%rsp)
	movw	%ax, -64(%rsp)
	vmovdqu8	%xmm0, -48(%rsp)
	vpmovzxwd	-64(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vzeroupper
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6803:
	.size	_ZN10torchpaged12_GLOBAL__N_18logit_atERKNS_8LogitRowEl, .-_ZN10torchpaged12_GLOBAL__N_18logit_atERKNS_8LogitRowEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_116copy_allowed_rowERKNS_7EditRowE, @function
_ZN10torchpaged12_GLOBAL__N_116copy_allowed_rowERKNS_7EditRowE:
.LFB6615:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	movq	%rdi, %r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$320, %rsp
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	(%rdi), %rax
	movl	8(%rdi), %edx
	movq	%rax, 248(%rsp)
	movq	16(%rdi), %rax
	cmpl	$1, %edx
	je	.L114
	cmpl	$2, %edx
	je	.L115
	testq	%rax, %rax
	jle	.L163
	xorl	%ebx, %ebx
	.p2align 4,,10
	.p2align 3
.L136:
	movq	24(%r15), %rdx
	movl	$-1, %r14d
	testq	%rdx, %rdx
	je	.L134
	movq	%rbx, %rcx
	sarq	$5, %rcx
	movl	(%rdx,%rcx,4), %r14d
.L134:
	leaq	32(%rbx), %r12
	movq	%rax, %r8
	cmpq	%rax, %r12
	cmovle	%r12, %r8
	cmpq	%rbx, %r8
	jle	.L141
	vbroadcastss	.LC1(%rip), %zmm0
	subq	%rbx, %r8
	xorl	%r13d, %r13d
	salq	$2, %rbx
	leaq	-1(%r8), %r10
	andq	$-16, %r10
	jmp	.L140
	.p2align 4,,10
	.p2align 3
.L167:
	vmovaps	%zmm0, %zmm1
	testl	%r14d, %r14d
	je	.L138
	movq	248(%rsp), %rax
	kmovw	%ecx, %k3
	vblendmps	(%rax,%rbx), %zmm0, %zmm1{%k3}
.L138:
	movq	32(%r15), %rax
	vmovups	%zmm1, (%rax,%rbx)
.L139:
	leaq	16(%r13), %rax
	subq	$16, %r8
	addq	$64, %rbx
	cmpq	%r13, %r10
	je	.L166
	movq	%rax, %r13
.L140:
	movl	%r13d, %ecx
	movl	%r14d, %eax
	shrl	%cl, %eax
	movl	%eax, %ecx
	cmpq	$15, %r8
	jg	.L167
	leaq	0(,%r8,4), %rdx
	movq	%r10, 64(%rsp)
	vpxor	%xmm4, %xmm4, %xmm4
	leaq	256(%rsp), %rdi
	movq	%r8, 232(%rsp)
	movq	%rdx, 240(%rsp)
	movl	%eax, 128(%rsp)
	movq	248(%rsp), %rax
	vmovdqa64	%zmm4, 256(%rsp)
	vmovaps	%zmm0, (%rsp)
	leaq	(%rax,%rbx), %rsi
	vzeroupper
	call	memcpy@PLT
	vmovaps	(%rsp), %zmm0
	movl	128(%rsp), %ecx
	movq	%rax, %rdi
	movq	32(%r15), %rax
	movq	240(%rsp), %rdx
	kmovw	%ecx, %k6
	movq	%rdi, %rsi
	vblendmps	256(%rsp), %zmm0, %zmm1{%k6}
	vmovaps	%zmm0, 128(%rsp)
	vmovaps	%zmm1, 256(%rsp)
	addq	%rbx, %rax
	movq	%rax, %rdi
	vzeroupper
	call	memcpy@PLT
	movq	64(%rsp), %r10
	movq	232(%rsp), %r8
	vmovaps	128(%rsp), %zmm0
	jmp	.L139
	.p2align 4,,10
	.p2align 3
.L165:
	vzeroupper
.L163:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L166:
	.cfi_restore_state
	movq	16(%r15), %rax
.L141:
	cmpq	%rax, %r12
	jge	.L165
	movq	%r12, %rbx
	jmp	.L136
.L114:
	xorl	%edx, %edx
	testq	%rax, %rax
	jle	.L163
	.p2align 4,,10
	.p2align 3
.L117:
	movq	24(%r15), %rcx
	movl	$-1, %r9d
	testq	%rcx, %rcx
	je	.L118
	movq	%rdx, %rsi
	sarq	$5, %rsi
	movl	(%rcx,%rsi,4), %r9d
.L118:
	leaq	32(%rdx), %r12
	cmpq	%r12, %rax
	movq	%r12, %rbx
	cmovle	%rax, %rbx
	cmpq	%rdx, %rbx
	jle	.L125
	movq	248(%rsp), %rax
	subq	%rdx, %rbx
	xorl	%r13d, %r13d
	vbroadcastss	.LC1(%rip), %zmm0
	leaq	-1(%rbx), %r10
	leaq	0(,%rdx,4), %r14
	leaq	(%rax,%rdx,2), %r8
	andq	$-16, %r10
	jmp	.L124
	.p2align 4,,10
	.p2align 3
.L169:
	vmovaps	%zmm0, %zmm1
	testl	%r9d, %r9d
	je	.L122
	kmovw	%eax, %k1
	vcvtph2ps	(%r8), %zmm1{%k1}
.L122:
	movq	32(%r15), %rax
	vmovups	%zmm1, (%rax,%r14)
.L123:
	leaq	16(%r13), %rax
	subq	$16, %rbx
	addq	$64, %r14
	addq	$32, %r8
	cmpq	%r13, %r10
	je	.L168
	movq	%rax, %r13
.L124:
	movl	%r9d, %eax
	movl	%r13d, %ecx
	shrl	%cl, %eax
	cmpq	$15, %rbx
	jg	.L169
	movq	%r10, (%rsp)
	vpxor	%xmm2, %xmm2, %xmm2
	movq	%r8, %rsi
	leaq	(%rbx,%rbx), %rdx
	movl	%r9d, 232(%rsp)
	leaq	256(%rsp), %rdi
	movq	%r8, 240(%rsp)
	movl	%eax, 64(%rsp)
	vmovdqa	%ymm2, 256(%rsp)
	vmovaps	%zmm0, 128(%rsp)
	vzeroupper
	call	memcpy@PLT
	movl	64(%rsp), %ecx
	vmovaps	128(%rsp), %zmm0
	movq	%rax, %rdi
	movq	32(%r15), %rax
	leaq	0(,%rbx,4), %rdx
	vmovaps	%zmm0, %zmm1
	movq	%rdi, %rsi
	kmovw	%ecx, %k4
	vcvtph2ps	256(%rsp), %zmm1{%k4}
	vmovaps	%zmm1, 256(%rsp)
	addq	%r14, %rax
	movq	%rax, %rdi
	vzeroupper
	call	memcpy@PLT
	movq	(%rsp), %r10
	movl	232(%rsp), %r9d
	movq	240(%rsp), %r8
	vmovaps	128(%rsp), %zmm0
	jmp	.L123
	.p2align 4,,10
	.p2align 3
.L168:
	movq	16(%r15), %rax
.L125:
	cmpq	%rax, %r12
	jge	.L165
	movq	%r12, %rdx
	jmp	.L117
.L115:
	testq	%rax, %rax
	jle	.L163
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L128:
	movq	24(%r15), %rcx
	movl	$-1, %r10d
	testq	%rcx, %rcx
	je	.L126
	movq	%rdx, %rsi
	sarq	$5, %rsi
	movl	(%rcx,%rsi,4), %r10d
.L126:
	leaq	32(%rdx), %rsi
	cmpq	%rax, %rsi
	movq	%rsi, %rbx
	movq	%rsi, (%rsp)
	cmovg	%rax, %rbx
	cmpq	%rdx, %rbx
	jle	.L133
	movq	248(%rsp), %rax
	subq	%rdx, %rbx
	xorl	%r13d, %r13d
	vbroadcastss	.LC1(%rip), %zmm0
	leaq	-1(%rbx), %r11
	leaq	0(,%rdx,4), %r12
	leaq	(%rax,%rdx,2), %r14
	andq	$-16, %r11
	jmp	.L132
	.p2align 4,,10
	.p2align 3
.L171:
	vmovaps	%zmm0, %zmm1
	testl	%r10d, %r10d
	je	.L130
	vpmovzxwd	(%r14), %zmm1
	kmovw	%eax, %k2
	vpslld	$16, %zmm1, %zmm1
	vblendmps	%zmm1, %zmm0, %zmm1{%k2}
.L130:
	movq	32(%r15), %rax
	vmovups	%zmm1, (%rax,%r12)
.L131:
	leaq	16(%r13), %rax
	subq	$16, %rbx
	addq	$64, %r12
	addq	$32, %r14
	cmpq	%r13, %r11
	je	.L170
	movq	%rax, %r13
.L132:
	movl	%r10d, %eax
	movl	%r13d, %ecx
	shrl	%cl, %eax
	cmpq	$15, %rbx
	jg	.L171
	movq	%r11, 232(%rsp)
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	(%rbx,%rbx), %rdx
	movq	%r14, %rsi
	movl	%r10d, 240(%rsp)
	leaq	256(%rsp), %rdi
	movl	%eax, 128(%rsp)
	vmovdqa	%ymm3, 256(%rsp)
	vmovaps	%zmm0, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	vmovaps	64(%rsp), %zmm0
	vpmovzxwd	256(%rsp), %zmm1
	movl	128(%rsp), %ecx
	movq	%rax, %rdi
	movq	32(%r15), %rax
	leaq	0(,%rbx,4), %rdx
	vpslld	$16, %zmm1, %zmm1
	movq	%rdi, %rsi
	vmovaps	%zmm0, 128(%rsp)
	addq	%r12, %rax
	kmovw	%ecx, %k5
	vblendmps	%zmm1, %zmm0, %zmm1{%k5}
	vmovaps	%zmm1, 256(%rsp)
	movq	%rax, %rdi
	vzeroupper
	call	memcpy@PLT
	movq	232(%rsp), %r11
	movl	240(%rsp), %r10d
	vmovaps	128(%rsp), %zmm0
	jmp	.L131
	.p2align 4,,10
	.p2align 3
.L170:
	movq	16(%r15), %rax
.L133:
	cmpq	%rax, (%rsp)
	jge	.L165
	movq	(%rsp), %rdx
	jmp	.L128
	.cfi_endproc
.LFE6615:
	.size	_ZN10torchpaged12_GLOBAL__N_116copy_allowed_rowERKNS_7EditRowE, .-_ZN10torchpaged12_GLOBAL__N_116copy_allowed_rowERKNS_7EditRowE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl:
.LFB6901:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$192, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	testq	%rsi, %rsi
	jle	.L178
	leaq	-1(%rsi), %r14
	vxorps	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r15
	movq	%rdi, %r12
	andq	$-16, %r14
	leaq	(%rdi,%rsi,2), %r13
	movl	$15, %ebx
	vbroadcastss	.LC5(%rip), %zmm5
	addq	$31, %r14
	vmovaps	%zmm1, %zmm2
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	jmp	.L177
	.p2align 4,,10
	.p2align 3
.L181:
	vcvtph2ps	(%r12), %zmm0
	vcmpps	$0, %zmm0, %zmm0, %k1
	vandps	%zmm5, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm4, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
.L180:
	addq	$16, %rbx
	vblendmps	%zmm1, %zmm0, %zmm1{%k1}
	addq	$32, %r12
	cmpq	%r14, %rbx
	je	.L173
.L177:
	cmpq	%rbx, %r15
	jg	.L181
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	vmovaps	%zmm2, (%rsp)
	leaq	160(%rsp), %rdi
	vmovaps	%zmm1, 64(%rsp)
	subq	%r12, %rdx
	movq	%r12, %rsi
	vmovdqa	%ymm0, 160(%rsp)
	vzeroupper
	call	memcpy@PLT
	vmovaps	(%rsp), %zmm2
	vcvtph2ps	160(%rsp), %zmm0
	vmovaps	.LC4(%rip), %zmm5
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	vmovaps	64(%rsp), %zmm1
	vandps	%zmm5, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm4, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
	jmp	.L180
.L178:
	vxorpd	%xmm2, %xmm2, %xmm2
	vmovapd	%zmm2, %zmm1
.L173:
	vextractf64x4	$0x1, %zmm2, %ymm0
	vmaxps	%ymm2, %ymm0, %ymm2
	vextractf128	$0x1, %ymm2, %xmm0
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm1, %ymm2
	vaddps	%ymm1, %ymm2, %ymm1
	vextractf128	$0x1, %ymm1, %xmm2
	vaddps	%xmm1, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm1
	vaddps	%xmm2, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm2
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm2, %xmm1
	vaddss	%xmm0, %xmm1, %xmm0
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6901:
	.size	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl:
.LFB6902:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$192, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	testq	%rsi, %rsi
	jle	.L188
	leaq	-1(%rsi), %r14
	vxorps	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r15
	movq	%rdi, %r12
	andq	$-16, %r14
	movl	$2147483647, %eax
	leaq	(%rdi,%rsi,2), %r13
	movl	$15, %ebx
	addq	$31, %r14
	vmovaps	%zmm1, %zmm2
	vpbroadcastd	%eax, %zmm4
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	jmp	.L187
	.p2align 4,,10
	.p2align 3
.L191:
	vpmovzxwd	(%r12), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpandd	%zmm4, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm5, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
.L190:
	addq	$16, %rbx
	vblendmps	%zmm1, %zmm0, %zmm1{%k1}
	addq	$32, %r12
	cmpq	%r14, %rbx
	je	.L183
.L187:
	cmpq	%rbx, %r15
	jg	.L191
	vpxor	%xmm6, %xmm6, %xmm6
	movq	%r13, %rdx
	vmovaps	%zmm1, (%rsp)
	leaq	160(%rsp), %rdi
	vmovaps	%zmm2, 64(%rsp)
	subq	%r12, %rdx
	movq	%r12, %rsi
	vmovdqa	%ymm6, 160(%rsp)
	vzeroupper
	call	memcpy@PLT
	vmovaps	64(%rsp), %zmm2
	vpmovzxwd	160(%rsp), %zmm0
	vmovdqa32	.LC6(%rip), %zmm4
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	vmovaps	(%rsp), %zmm1
	vpslld	$16, %zmm0, %zmm0
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpandd	%zmm4, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm5, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
	jmp	.L190
.L188:
	vxorpd	%xmm2, %xmm2, %xmm2
	vmovapd	%zmm2, %zmm1
.L183:
	vextractf64x4	$0x1, %zmm2, %ymm0
	vmaxps	%ymm2, %ymm0, %ymm2
	vextractf128	$0x1, %ymm2, %xmm0
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm1, %ymm2
	vaddps	%ymm1, %ymm2, %ymm1
	vextractf128	$0x1, %ymm1, %xmm2
	vaddps	%xmm1, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm1
	vaddps	%xmm2, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm2
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm2, %xmm1
	vaddss	%xmm0, %xmm1, %xmm0
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6902:
	.size	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl:
.LFB6903:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$192, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	testq	%rsi, %rsi
	jle	.L198
	leaq	-1(%rsi), %r14
	vxorps	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r15
	movq	%rdi, %r12
	andq	$-16, %r14
	leaq	(%rdi,%rsi,4), %r13
	movl	$15, %ebx
	vbroadcastss	.LC5(%rip), %zmm5
	addq	$31, %r14
	vmovaps	%zmm1, %zmm2
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	jmp	.L197
	.p2align 4,,10
	.p2align 3
.L201:
	vmovups	(%r12), %zmm0
	vcmpps	$0, %zmm0, %zmm0, %k1
	vandps	%zmm5, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm4, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
.L200:
	addq	$16, %rbx
	vblendmps	%zmm1, %zmm0, %zmm1{%k1}
	addq	$64, %r12
	cmpq	%r14, %rbx
	je	.L193
.L197:
	cmpq	%r15, %rbx
	jl	.L201
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	vmovaps	%zmm1, (%rsp)
	leaq	128(%rsp), %rdi
	vmovaps	%zmm2, 64(%rsp)
	subq	%r12, %rdx
	movq	%r12, %rsi
	vmovdqa64	%zmm0, 128(%rsp)
	vzeroupper
	call	memcpy@PLT
	vmovaps	64(%rsp), %zmm2
	vmovaps	128(%rsp), %zmm0
	vmovaps	.LC4(%rip), %zmm5
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	vmovaps	(%rsp), %zmm1
	vcmpps	$0, %zmm0, %zmm0, %k1
	vandps	%zmm5, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm4, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
	jmp	.L200
.L198:
	vxorpd	%xmm2, %xmm2, %xmm2
	vmovapd	%zmm2, %zmm1
.L193:
	vextractf64x4	$0x1, %zmm2, %ymm0
	vmaxps	%ymm2, %ymm0, %ymm2
	vextractf128	$0x1, %ymm2, %xmm0
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm1, %ymm2
	vaddps	%ymm1, %ymm2, %ymm1
	vextractf128	$0x1, %ymm1, %xmm2
	vaddps	%xmm1, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm1
	vaddps	%xmm2, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm2
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm2, %xmm1
	vaddss	%xmm0, %xmm1, %xmm0
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6903:
	.size	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110absmax_rowEPKcNS_5DTypeEl, @function
_ZN10torchpaged12_GLOBAL__N_110absmax_rowEPKcNS_5DTypeEl:
.LFB6730:
	.cfi_startproc
	movl	%esi, %eax
	movq	%rdx, %rsi
	cmpl	$1, %eax
	je	.L203
	cmpl	$2, %eax
	je	.L204
	jmp	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl
	.p2align 4,,10
	.p2align 3
.L203:
	jmp	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl
	.p2align 4,,10
	.p2align 3
.L204:
	jmp	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl
	.cfi_endproc
.LFE6730:
	.size	_ZN10torchpaged12_GLOBAL__N_110absmax_rowEPKcNS_5DTypeEl, .-_ZN10torchpaged12_GLOBAL__N_110absmax_rowEPKcNS_5DTypeEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_16locateERKNS_15AttentionParamsEiilllPKcRNS0_8TileRowsE, @function
_ZN10torchpaged12_GLOBAL__N_16locateERKNS_15AttentionParamsEiilllPKcRNS0_8TileRowsE:
.LFB6632:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edx, %r11d
	movq	%rcx, %rdx
	movq	%r8, %rax
	vmovq	%rdi, %xmm6
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	leaq	64(%rdx), %r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movslq	%esi, %rbx
	andq	$-64, %rsp
	subq	$8, %rsp
	cmpq	%rdx, %r8
	cmovl	%rdx, %rax
	movl	%eax, %r10d
	movq	24(%rbp), %rsi
	movq	16(%rbp), %rcx
	subl	%edx, %r10d
	cmpq	%r9, %r13
	cmovg	%r9, %r13
	movl	%r10d, -16(%rsp)
	movl	%r10d, 1536(%rsi)
	movl	%r13d, %r15d
	subl	%edx, %r15d
	movl	%r15d, 4(%rsp)
	movl	%r15d, 1540(%rsi)
	movslq	%r15d, %r15
	leaq	15(%r15), %r9
	movq	%r9, %r12
	sarq	$63, %r12
	shrq	$60, %r12
	leaq	(%r9,%r12), %r8
	andl	$15, %r8d
	subq	%r12, %r8
	subq	%r8, %r9
	testl	%r10d, %r10d
	jle	.L213
	leal	-1(%r10), %r8d
	cmpl	$6, %r8d
	jbe	.L263
	movl	%r10d, %r8d
	vpbroadcastq	%rcx, %zmm0
	shrl	$3, %r8d
	vmovdqu64	%zmm0, (%rsi)
	vmovdqu64	%zmm0, 512(%rsi)
	cmpl	$1, %r8d
	je	.L212
	vmovdqu64	%zmm0, 576(%rsi)
	vmovdqu64	%zmm0, 64(%rsi)
	cmpl	$2, %r8d
	je	.L212
	vmovdqu64	%zmm0, 640(%rsi)
	vmovdqu64	%zmm0, 128(%rsi)
	cmpl	$3, %r8d
	je	.L212
	vmovdqu64	%zmm0, 704(%rsi)
	vmovdqu64	%zmm0, 192(%rsi)
	cmpl	$4, %r8d
	je	.L212
	vmovdqu64	%zmm0, 768(%rsi)
	vmovdqu64	%zmm0, 256(%rsi)
	cmpl	$5, %r8d
	je	.L212
	vmovdqu64	%zmm0, 832(%rsi)
	vmovdqu64	%zmm0, 320(%rsi)
	cmpl	$6, %r8d
	je	.L212
	vmovdqu64	%zmm0, 896(%rsi)
	vmovdqu64	%zmm0, 384(%rsi)
	cmpl	$7, %r8d
	je	.L212
	vmovdqu64	%zmm0, 960(%rsi)
	vmovdqu64	%zmm0, 448(%rsi)
.L212:
	movl	%r10d, %r8d
	andl	$-8, %r8d
	movl	%r8d, %r12d
	testb	$7, %r10b
	je	.L213
.L211:
	movl	%r10d, %r14d
	subl	%r8d, %r14d
	leal	-1(%r14), %edi
	cmpl	$2, %edi
	jbe	.L215
	addl	$64, %r8d
	vpbroadcastq	%rcx, %ymm0
	vmovdqu	%ymm0, (%rsi,%r8,8)
	vmovdqu	%ymm0, -512(%rsi,%r8,8)
	movl	%r14d, %r8d
	andl	$-4, %r8d
	addl	%r8d, %r12d
	andl	$3, %r14d
	je	.L213
.L215:
	movslq	%r12d, %r8
	leal	1(%r12), %r14d
	leaq	(%rsi,%r8,8), %r8
	movq	%rcx, 512(%r8)
	movq	%rcx, (%r8)
	cmpl	%r14d, %r10d
	jle	.L213
	addl	$2, %r12d
	movq	%rcx, 520(%r8)
	movq	%rcx, 8(%r8)
	cmpl	%r12d, %r10d
	jle	.L213
	movq	%rcx, 528(%r8)
	movq	%rcx, 16(%r8)
.L213:
	cmpl	%r9d, 4(%rsp)
	jge	.L210
	subl	%r13d, %edx
	addl	%r9d, %edx
	leal	-1(%rdx), %r8d
	cmpl	$6, %r8d
	jbe	.L264
	leaq	512(,%r15,8), %r8
	movl	%edx, %r13d
	vpbroadcastq	%rcx, %zmm0
	leaq	(%rsi,%r8), %r12
	shrl	$3, %r13d
	leaq	-512(%rsi,%r8), %r8
	vmovdqu64	%zmm0, (%r12)
	vmovdqu64	%zmm0, (%r8)
	cmpl	$1, %r13d
	je	.L220
	vmovdqu64	%zmm0, 64(%r12)
	vmovdqu64	%zmm0, 64(%r8)
	cmpl	$2, %r13d
	je	.L220
	vmovdqu64	%zmm0, 128(%r12)
	vmovdqu64	%zmm0, 128(%r8)
	cmpl	$3, %r13d
	je	.L220
	vmovdqu64	%zmm0, 192(%r12)
	vmovdqu64	%zmm0, 192(%r8)
	cmpl	$4, %r13d
	je	.L220
	vmovdqu64	%zmm0, 256(%r12)
	vmovdqu64	%zmm0, 256(%r8)
	cmpl	$5, %r13d
	je	.L220
	vmovdqu64	%zmm0, 320(%r12)
	vmovdqu64	%zmm0, 320(%r8)
	cmpl	$6, %r13d
	je	.L220
	vmovdqu64	%zmm0, 384(%r12)
	vmovdqu64	%zmm0, 384(%r8)
	cmpl	$7, %r13d
	je	.L220
	vmovdqu64	%zmm0, 448(%r12)
	vmovdqu64	%zmm0, 448(%r8)
.L220:
	movl	4(%rsp), %edi
	movl	%edx, %r8d
	andl	$-8, %r8d
	leal	(%r8,%rdi), %r12d
	testb	$7, %dl
	je	.L210
.L219:
	subl	%r8d, %edx
	leal	-1(%rdx), %r13d
	cmpl	$2, %r13d
	jbe	.L222
	leaq	64(%r8,%r15), %r8
	vpbroadcastq	%rcx, %ymm0
	vmovdqu	%ymm0, (%rsi,%r8,8)
	vmovdqu	%ymm0, -512(%rsi,%r8,8)
	movl	%edx, %r8d
	andl	$-4, %r8d
	addl	%r8d, %r12d
	andl	$3, %edx
	je	.L210
.L222:
	movslq	%r12d, %rdx
	leal	1(%r12), %r8d
	leaq	(%rsi,%rdx,8), %rdx
	movq	%rcx, 512(%rdx)
	movq	%rcx, (%rdx)
	cmpl	%r8d, %r9d
	jle	.L210
	addl	$2, %r12d
	movq	%rcx, 520(%rdx)
	movq	%rcx, 8(%rdx)
	cmpl	%r12d, %r9d
	jle	.L210
	movq	%rcx, 528(%rdx)
	movq	%rcx, 16(%rdx)
.L210:
	vmovq	%xmm6, %rcx
	cmpb	$0, 128(%rcx)
	jne	.L360
.L218:
	vmovq	%xmm6, %rcx
	cmpb	$0, 168(%rcx)
	jne	.L361
.L224:
	vmovq	%xmm6, %rcx
	cqto
	movq	176(%rcx), %rcx
	movq	%rcx, -24(%rsp)
	vmovq	%xmm6, %rcx
	imulq	184(%rcx), %rbx
	movq	%rbx, -32(%rsp)
	movq	216(%rcx), %rbx
	idivq	%rbx
	movq	%rbx, -40(%rsp)
	movq	%rax, -8(%rsp)
	movl	4(%rsp), %eax
	cmpl	%eax, %r10d
	jge	.L357
	movq	48(%rcx), %r13
	movq	80(%rcx), %r15
	kmovb	128(%rcx), %k0
	kmovb	168(%rcx), %k1
	movq	224(%rcx), %rax
	movq	56(%rcx), %rbx
	vpbroadcastq	%r13, %zmm18
	vpbroadcastq	%r15, %zmm17
	vmovdqa64	.LC7(%rip), %zmm16
	vmovdqa64	.LC8(%rip), %zmm19
	subq	$1, %rax
	movl	-16(%rsp), %edi
	vmovdqa64	.LC9(%rip), %zmm22
	vpbroadcastq	%r13, %ymm12
	movq	%rax, -48(%rsp)
	movq	40(%rcx), %rax
	vpmullq	%zmm16, %zmm18, %zmm20
	vpmullq	%zmm16, %zmm17, %zmm16
	vmovdqa64	.LC10(%rip), %zmm21
	vpmullq	%zmm19, %zmm18, %zmm23
	vmovdqa64	.LC11(%rip), %zmm25
	vpmullq	%zmm22, %zmm18, %zmm28
	vmovdqa64	.LC12(%rip), %zmm24
	movq	%rax, -72(%rsp)
	movslq	%r11d, %rax
	vpmullq	%zmm19, %zmm17, %zmm19
	imulq	%rax, %rbx
	movq	%rax, -88(%rsp)
	vmovdqa64	.LC13(%rip), %zmm26
	vpmullq	%zmm21, %zmm18, %zmm27
	vmovdqa64	.LC14(%rip), %zmm0
	imulq	88(%rcx), %rax
	vpmullq	%zmm25, %zmm18, %zmm30
	vpbroadcastq	%r15, %ymm11
	vpmullq	%zmm24, %zmm18, %zmm29
	vpmullq	%zmm26, %zmm18, %zmm31
	vmovq	32(%rcx), %xmm8
	vmovq	64(%rcx), %xmm7
	vpmullq	%zmm22, %zmm17, %zmm22
	vpmullq	%zmm21, %zmm17, %zmm21
	movq	%rbx, -56(%rsp)
	movq	72(%rcx), %rbx
	vpmullq	%zmm25, %zmm17, %zmm25
	vpmullq	%zmm24, %zmm17, %zmm24
	movq	%rax, -64(%rsp)
	vpbroadcastq	%xmm8, %zmm10
	vpmullq	%zmm26, %zmm17, %zmm26
	vpmullq	%zmm0, %zmm18, %zmm18
	vpbroadcastq	%xmm7, %zmm9
	vmovdqa	.LC15(%rip), %ymm15
	vpmullq	%zmm0, %zmm17, %zmm17
	movq	%rbx, -80(%rsp)
	movq	%rdx, %rbx
	vpbroadcastq	%xmm8, %ymm14
	vpbroadcastq	%xmm7, %ymm13
	vpaddq	%zmm20, %zmm10, %zmm20
	vpaddq	%zmm16, %zmm9, %zmm16
	vmovdqa	%xmm8, %xmm4
	.p2align 4,,10
	.p2align 3
.L258:
	movq	-48(%rsp), %rcx
	movq	-8(%rsp), %rax
	cmpq	%rax, %rcx
	cmovle	%rcx, %rax
	movq	-32(%rsp), %rcx
	addq	%rcx, %rax
	movq	-24(%rsp), %rcx
	movslq	(%rcx,%rax,4), %r9
	testq	%r9, %r9
	js	.L265
	vmovq	%xmm6, %rax
	movq	208(%rax), %rax
	cmpq	%rax, %r9
	jl	.L359
	leaq	-1(%rax), %r9
.L359:
	movq	-72(%rsp), %r8
	movq	-80(%rsp), %r10
	imulq	%r9, %r8
	imulq	%r9, %r10
.L226:
	movl	4(%rsp), %ecx
	movq	-40(%rsp), %rax
	movq	-56(%rsp), %rdx
	subl	%edi, %ecx
	subq	%rbx, %rax
	movslq	%ecx, %rcx
	cmpq	%rcx, %rax
	cmovg	%rcx, %rax
	movq	%r13, %rcx
	imulq	%rbx, %rcx
	addq	%rdx, %rcx
	movq	-64(%rsp), %rdx
	addq	%r8, %rcx
	movq	%r15, %r8
	imulq	%rbx, %r8
	addq	%rdx, %r8
	addq	%r10, %r8
	kortestb	%k0, %k0
	jne	.L362
	kortestb	%k1, %k1
	jne	.L363
	testl	%eax, %eax
	jle	.L229
	leal	-1(%rax), %r10d
.L260:
	cmpl	$14, %r10d
	jbe	.L268
.L368:
	movslq	%edi, %rdx
	vpbroadcastq	%rcx, %zmm1
	vpbroadcastq	%r8, %zmm0
	movl	%eax, %r9d
	salq	$3, %rdx
	vpaddq	%zmm1, %zmm20, %zmm2
	shrl	$4, %r9d
	leaq	(%rsi,%rdx), %r10
	leaq	512(%rsi,%rdx), %rdx
	vmovdqu64	%zmm2, (%r10)
	vpaddq	%zmm23, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 64(%r10)
	vpaddq	%zmm0, %zmm16, %zmm2
	vmovdqu64	%zmm2, (%rdx)
	vpaddq	%zmm9, %zmm19, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 64(%rdx)
	cmpl	$1, %r9d
	je	.L254
	vpaddq	%zmm10, %zmm28, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 128(%r10)
	vpaddq	%zmm27, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 192(%r10)
	vpaddq	%zmm22, %zmm9, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 128(%rdx)
	vpaddq	%zmm21, %zmm9, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 192(%rdx)
	cmpl	$2, %r9d
	je	.L254
	vpaddq	%zmm30, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 256(%r10)
	vpaddq	%zmm29, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 320(%r10)
	vpaddq	%zmm25, %zmm9, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 256(%rdx)
	vpaddq	%zmm24, %zmm9, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 320(%rdx)
	cmpl	$3, %r9d
	je	.L254
	vpaddq	%zmm31, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 384(%r10)
	vpaddq	%zmm18, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vpaddq	%zmm26, %zmm9, %zmm1
	vmovdqu64	%zmm2, 448(%r10)
	vpaddq	%zmm0, %zmm1, %zmm1
	vmovdqu64	%zmm1, 384(%rdx)
	vpaddq	%zmm17, %zmm9, %zmm1
	vpaddq	%zmm0, %zmm1, %zmm1
	vmovdqu64	%zmm1, 448(%rdx)
.L254:
	movl	%eax, %r10d
	andl	$-16, %r10d
	movl	%r10d, %r9d
	leal	(%rdi,%r10), %r11d
	testb	$15, %al
	je	.L255
.L253:
	movl	%eax, %ebx
	subl	%r10d, %ebx
	leal	-1(%rbx), %edx
	cmpl	$6, %edx
	jbe	.L256
	vpbroadcastd	%r9d, %ymm0
	movslq	%edi, %rdx
	vpbroadcastq	%rcx, %ymm2
	vpaddd	%ymm15, %ymm0, %ymm0
	addq	%r10, %rdx
	vpaddq	%ymm2, %ymm14, %ymm2
	vpmovsxdq	%xmm0, %ymm1
	salq	$3, %rdx
	vextracti128	$0x1, %ymm0, %xmm0
	vpmullq	%ymm1, %ymm12, %ymm3
	leaq	(%rsi,%rdx), %r10
	vpmovsxdq	%xmm0, %ymm0
	vpmullq	%ymm11, %ymm1, %ymm1
	leaq	512(%rsi,%rdx), %rdx
	vpaddq	%ymm2, %ymm3, %ymm3
	vmovdqu	%ymm3, (%r10)
	vpmullq	%ymm0, %ymm12, %ymm3
	vpmullq	%ymm11, %ymm0, %ymm0
	vpaddq	%ymm2, %ymm3, %ymm3
	vpbroadcastq	%r8, %ymm2
	vpaddq	%ymm13, %ymm2, %ymm2
	vmovdqu	%ymm3, 32(%r10)
	vpaddq	%ymm2, %ymm1, %ymm1
	vpaddq	%ymm2, %ymm0, %ymm0
	vmovdqu	%ymm1, (%rdx)
	vmovdqu	%ymm0, 32(%rdx)
	movl	%ebx, %edx
	andl	$-8, %edx
	addl	%edx, %r11d
	addl	%edx, %r9d
	andl	$7, %ebx
	je	.L255
.L256:
	movslq	%r9d, %rdx
	movq	%r13, %r10
	vmovq	%xmm4, %r14
	movslq	%r11d, %r11
	imulq	%rdx, %r10
	leaq	(%rsi,%r11,8), %rbx
	imulq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, (%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 512(%rbx)
	leal	1(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L255
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 8(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 520(%rbx)
	leal	2(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L255
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 16(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 528(%rbx)
	leal	3(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L255
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 24(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 536(%rbx)
	leal	4(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L255
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 32(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 544(%rbx)
	leal	5(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L255
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	addl	$6, %r9d
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 40(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 552(%rbx)
	cmpl	%r9d, %eax
	jle	.L255
	addq	%r13, %r10
	addq	%r15, %rdx
	addq	%rcx, %r10
	addq	%r8, %rdx
	vmovq	%xmm4, %rcx
	addq	%rcx, %r10
	addq	%r14, %rdx
	movq	%r10, 48(%rbx)
	movq	%rdx, 560(%rbx)
.L255:
	addl	%eax, %edi
.L229:
	addq	$1, -8(%rsp)
	xorl	%ebx, %ebx
	cmpl	%edi, 4(%rsp)
	jg	.L258
.L357:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L265:
	.cfi_restore_state
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	jmp	.L226
	.p2align 4,,10
	.p2align 3
.L362:
	movslq	%edi, %rdx
	movq	-88(%rsp), %r10
	movq	%rdx, -96(%rsp)
	vmovq	%xmm6, %rdx
	movq	112(%rdx), %r14
	imulq	120(%rdx), %r10
	vmovq	96(%rdx), %xmm0
	movq	%r14, %r11
	imulq	%rbx, %r11
	addq	%r10, %r11
	movq	104(%rdx), %r10
	imulq	%r9, %r10
	leaq	(%r11,%r10), %rdx
	movq	%rdx, -16(%rsp)
	testl	%eax, %eax
	jle	.L229
	cmpq	$1, %r14
	jne	.L364
	leal	-1(%rax), %r10d
	movl	%eax, -104(%rsp)
	cmpl	$6, %r10d
	jbe	.L233
	movq	%rdx, %r14
	movslq	%edi, %rdx
	vmovq	%xmm0, %r11
	addq	$256, %rdx
	leaq	4(,%r14,4), %r14
	movq	%rdx, -112(%rsp)
	leaq	(%rsi,%rdx,4), %rdx
	leaq	(%r11,%r14), %r12
	movq	%rdx, %r11
	subq	%r12, %r11
	cmpq	$56, %r11
	ja	.L365
.L233:
	movq	-16(%rsp), %r14
	vmovq	%xmm0, %rdx
	movl	%r10d, -16(%rsp)
	xorl	%r11d, %r11d
	vmovd	%r10d, %xmm1
	movq	%rsi, %r10
	leaq	(%rdx,%r14,4), %r14
	movslq	%edi, %rdx
	leaq	(%rsi,%rdx,4), %rdx
	movq	%rax, %rsi
	vmovq	%xmm1, %rax
	.p2align 4,,10
	.p2align 3
.L239:
	vmovss	(%r14,%r11,4), %xmm0
	movq	%r11, %r12
	vmovss	%xmm0, 1024(%rdx,%r11,4)
	addq	$1, %r11
	cmpq	%rax, %r12
	jne	.L239
	movq	%rsi, %rax
	movq	%r10, %rsi
	movl	-16(%rsp), %r10d
.L232:
	kortestb	%k1, %k1
	je	.L260
	leaq	1280(%rsi), %rdx
	movq	-88(%rsp), %r12
	vmovq	%rdx, %xmm0
	movq	-96(%rsp), %rdx
	movq	%rdx, -16(%rsp)
	vmovq	%xmm6, %rdx
	movq	152(%rdx), %r11
	imulq	160(%rdx), %r12
	movq	136(%rdx), %r14
	imulq	%r11, %rbx
	movq	%rbx, %rdx
	vmovq	%xmm6, %rbx
	imulq	144(%rbx), %r9
	addq	%r12, %rdx
	addq	%r9, %rdx
	cmpq	$1, %r11
	jne	.L366
.L242:
	movl	%eax, %r12d
	cmpl	$6, %r10d
	jbe	.L245
	movq	-16(%rsp), %rbx
	addq	$320, %rbx
	leaq	(%rsi,%rbx,4), %r11
	movq	%rbx, -96(%rsp)
	leaq	4(,%rdx,4), %rbx
	leaq	(%r14,%rbx), %r9
	vmovq	%rbx, %xmm5
	movq	%r11, %rbx
	subq	%r9, %rbx
	cmpq	$56, %rbx
	ja	.L367
.L245:
	movq	-16(%rsp), %rbx
	leaq	(%r14,%rdx,4), %r12
	movl	%r10d, %r9d
	xorl	%edx, %edx
	leaq	(%rsi,%rbx,4), %rbx
	.p2align 4,,10
	.p2align 3
.L251:
	vmovss	(%r12,%rdx,4), %xmm0
	movq	%rdx, %r11
	vmovss	%xmm0, 1280(%rbx,%rdx,4)
	addq	$1, %rdx
	cmpq	%r11, %r9
	jne	.L251
	cmpl	$14, %r10d
	ja	.L368
.L268:
	movl	%edi, %r11d
	xorl	%r10d, %r10d
	xorl	%r9d, %r9d
	jmp	.L253
	.p2align 4,,10
	.p2align 3
.L363:
	leaq	1280(%rsi), %rdx
	movq	-88(%rsp), %r10
	vmovq	%rdx, %xmm0
	movslq	%edi, %rdx
	movq	%rdx, -16(%rsp)
	vmovq	%xmm6, %rdx
	movq	152(%rdx), %r11
	imulq	160(%rdx), %r10
	movq	136(%rdx), %r14
	imulq	%r11, %rbx
	movq	%rbx, %rdx
	vmovq	%xmm6, %rbx
	imulq	144(%rbx), %r9
	addq	%r10, %rdx
	addq	%r9, %rdx
	testl	%eax, %eax
	jle	.L229
	leal	-1(%rax), %r10d
	cmpq	$1, %r11
	je	.L242
.L366:
	movq	-16(%rsp), %rbx
	movl	%r10d, %r12d
	leaq	(%r14,%rdx,4), %r9
	salq	$2, %r11
	addq	%rbx, %r12
	leaq	(%rsi,%rbx,4), %rdx
	leaq	4(%rsi,%r12,4), %rbx
	.p2align 4,,10
	.p2align 3
.L243:
	vmovss	(%r9), %xmm0
	addq	$4, %rdx
	addq	%r11, %r9
	vmovss	%xmm0, 1276(%rdx)
	cmpq	%rdx, %rbx
	jne	.L243
	jmp	.L260
.L365:
	cmpl	$14, %r10d
	jbe	.L266
	movl	%eax, %r12d
	vmovq	%xmm0, %r11
	movl	%r10d, (%rsp)
	movq	%rsi, %r10
	shrl	$4, %r12d
	leaq	-4(%r11,%r14), %r14
	movq	%rax, %rsi
	movq	-16(%rsp), %r11
	salq	$6, %r12
	movq	%r12, -104(%rsp)
	movq	-104(%rsp), %rax
	xorl	%r12d, %r12d
	.p2align 4,,10
	.p2align 3
.L235:
	vmovups	(%r14,%r12), %zmm5
	vmovups	%zmm5, (%rdx,%r12)
	addq	$64, %r12
	cmpq	%rax, %r12
	jne	.L235
	movq	%rsi, %rax
	movq	%r11, -16(%rsp)
	movq	%r10, %rsi
	movl	(%rsp), %r10d
	movl	%eax, %edx
	andl	$-16, %edx
	movl	%edx, %r12d
	testb	$15, %al
	je	.L232
	movl	%eax, %r14d
	subl	%edx, %r14d
	movl	%r14d, -104(%rsp)
	subl	$1, %r14d
	cmpl	$6, %r14d
	jbe	.L237
.L234:
	movq	-16(%rsp), %r14
	addq	%rdx, %r14
	vmovq	%r14, %xmm1
	vmovq	%xmm0, %r14
	vmovq	%xmm1, %r11
	vmovups	(%r14,%r11,4), %ymm1
	movq	-112(%rsp), %r14
	addq	%rdx, %r14
	movl	-104(%rsp), %edx
	vmovups	%ymm1, (%rsi,%r14,4)
	movl	%edx, %r14d
	andl	$-8, %r14d
	addl	%r14d, %r12d
	andl	$7, %edx
	je	.L232
.L237:
	leaq	1024(%rsi), %rdx
	movslq	%r12d, %r14
	vmovq	%rdx, %xmm5
	movq	-16(%rsp), %rdx
	leaq	(%r14,%rdx), %r11
	vmovq	%r11, %xmm1
	vmovq	%xmm0, %r11
	vmovq	%xmm1, %rdx
	vmovss	(%r11,%rdx,4), %xmm1
	movq	-96(%rsp), %r11
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	leal	1(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L232
	movq	-16(%rsp), %rdx
	movslq	%r14d, %r14
	movq	%r14, -104(%rsp)
	addq	%r14, %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r14
	vmovss	(%rdx,%r14,4), %xmm1
	movq	-104(%rsp), %r14
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	leal	2(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L232
	movq	-16(%rsp), %rdx
	movslq	%r14d, %r14
	movq	%r14, -104(%rsp)
	addq	%r14, %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r14
	vmovss	(%rdx,%r14,4), %xmm1
	movq	-104(%rsp), %r14
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	leal	3(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L232
	movq	-16(%rsp), %rdx
	movslq	%r14d, %r14
	movq	%r14, -104(%rsp)
	addq	%r14, %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r14
	vmovss	(%rdx,%r14,4), %xmm1
	movq	-104(%rsp), %r14
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	leal	4(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L232
	movq	-16(%rsp), %rdx
	movslq	%r14d, %r14
	movq	%r14, -104(%rsp)
	addq	%r14, %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r14
	vmovss	(%rdx,%r14,4), %xmm1
	movq	-104(%rsp), %r14
	addq	%r11, %r14
	vmovq	%xmm5, %r11
	vmovss	%xmm1, (%r11,%r14,4)
	leal	5(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L232
	movq	-16(%rsp), %r11
	movslq	%r14d, %r14
	addl	$6, %r12d
	leaq	(%r14,%r11), %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r11
	vmovss	(%rdx,%r11,4), %xmm1
	movq	-96(%rsp), %r11
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	cmpl	%r12d, %eax
	jle	.L232
	movq	-16(%rsp), %r11
	movslq	%r12d, %r12
	vmovq	%xmm0, %rdx
	addq	%r12, %r11
	vmovss	(%rdx,%r11,4), %xmm0
	movq	-96(%rsp), %r11
	vmovq	%xmm5, %rdx
	addq	%r11, %r12
	vmovss	%xmm0, (%rdx,%r12,4)
	jmp	.L232
.L367:
	cmpl	$14, %r10d
	jbe	.L267
	vmovq	%xmm5, %rbx
	shrl	$4, %r12d
	xorl	%r9d, %r9d
	leaq	-4(%r14,%rbx), %rbx
	salq	$6, %r12
	.p2align 4,,10
	.p2align 3
.L247:
	vmovups	(%rbx,%r9), %zmm5
	vmovups	%zmm5, (%r11,%r9)
	addq	$64, %r9
	cmpq	%r9, %r12
	jne	.L247
	movl	%eax, %r9d
	andl	$-16, %r9d
	movl	%r9d, %r11d
	testb	$15, %al
	je	.L260
	movl	%eax, %r12d
	subl	%r9d, %r12d
	leal	-1(%r12), %ebx
	cmpl	$6, %ebx
	jbe	.L249
.L246:
	leaq	(%r9,%rdx), %rbx
	vmovups	(%r14,%rbx,4), %ymm1
	movq	-96(%rsp), %rbx
	addq	%r9, %rbx
	movl	%r12d, %r9d
	andl	$-8, %r9d
	vmovups	%ymm1, (%rsi,%rbx,4)
	addl	%r9d, %r11d
	andl	$7, %r12d
	je	.L260
.L249:
	movslq	%r11d, %r9
	movq	-16(%rsp), %rbx
	leaq	(%r9,%rdx), %r12
	vmovss	(%r14,%r12,4), %xmm1
	addq	%rbx, %r9
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	1(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L260
	movslq	%r9d, %r9
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	2(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L260
	movslq	%r9d, %r9
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	3(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L260
	movslq	%r9d, %r9
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	4(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L260
	movslq	%r9d, %r9
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	5(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L260
	movslq	%r9d, %r9
	addl	$6, %r11d
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	cmpl	%r11d, %eax
	jle	.L260
	movslq	%r11d, %r11
	addq	%r11, %rdx
	addq	%rbx, %r11
	vmovss	(%r14,%rdx,4), %xmm1
	vmovss	%xmm1, (%r12,%r11,4)
	jmp	.L260
.L364:
	movq	%rdx, %r10
	movslq	%edi, %r11
	vmovq	%xmm0, %rdx
	salq	$2, %r14
	leaq	(%rdx,%r10,4), %r12
	leaq	(%rsi,%r11,4), %rdx
	movq	%rdx, -16(%rsp)
	leal	-1(%rax), %edx
	movq	%rdx, %r10
	addq	%r11, %rdx
	movq	-16(%rsp), %r11
	leaq	4(%rsi,%rdx,4), %rdx
	.p2align 4,,10
	.p2align 3
.L231:
	vmovss	(%r12), %xmm0
	addq	$4, %r11
	addq	%r14, %r12
	vmovss	%xmm0, 1020(%r11)
	cmpq	%rdx, %r11
	jne	.L231
	jmp	.L232
.L361:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%zmm0, 1280(%rsi)
	vmovdqu8	%zmm0, 1344(%rsi)
	vmovdqu8	%zmm0, 1408(%rsi)
	vmovdqu8	%zmm0, 1472(%rsi)
	jmp	.L224
.L360:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%zmm0, 1024(%rsi)
	vmovdqu8	%zmm0, 1088(%rsi)
	vmovdqu8	%zmm0, 1152(%rsi)
	vmovdqu8	%zmm0, 1216(%rsi)
	jmp	.L218
.L264:
	movl	4(%rsp), %r12d
	xorl	%r8d, %r8d
	jmp	.L219
.L263:
	xorl	%r8d, %r8d
	xorl	%r12d, %r12d
	jmp	.L211
.L266:
	xorl	%edx, %edx
	xorl	%r12d, %r12d
	jmp	.L234
.L267:
	xorl	%r9d, %r9d
	xorl	%r11d, %r11d
	jmp	.L246
	.cfi_endproc
.LFE6632:
	.size	_ZN10torchpaged12_GLOBAL__N_16locateERKNS_15AttentionParamsEiilllPKcRNS0_8TileRowsE, .-_ZN10torchpaged12_GLOBAL__N_16locateERKNS_15AttentionParamsEiilllPKcRNS0_8TileRowsE
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE15start_partitionEv, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE15start_partitionEv:
.LFB7092:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	movq	%rdi, %rbx
	subq	$8, %rsp
	movslq	200(%rdi), %rdx
	testl	%edx, %edx
	jle	.L370
	leal	-1(%rdx), %eax
	movq	64(%rdi), %rsi
	cmpl	$14, %eax
	jbe	.L376
	vbroadcastss	.LC1(%rip), %zmm0
	movl	%edx, %ecx
	movq	%rsi, %rax
	shrl	$4, %ecx
	salq	$6, %rcx
	addq	%rsi, %rcx
	.p2align 4,,10
	.p2align 3
.L372:
	vmovups	%zmm0, (%rax)
	addq	$64, %rax
	cmpq	%rcx, %rax
	jne	.L372
	movl	%edx, %eax
	andl	$-16, %eax
	movl	%eax, %ecx
	cmpl	%eax, %edx
	je	.L387
.L371:
	movl	%edx, %edi
	subl	%ecx, %edi
	leal	-1(%rdi), %r8d
	cmpl	$6, %r8d
	jbe	.L374
	vbroadcastss	.LC1(%rip), %ymm0
	vmovups	%ymm0, (%rsi,%rcx,4)
	movl	%edi, %ecx
	andl	$-8, %ecx
	addl	%ecx, %eax
	andl	$7, %edi
	je	.L387
.L374:
	vmovss	.LC1(%rip), %xmm0
	movslq	%eax, %rdi
	leaq	0(,%rdi,4), %rcx
	vmovss	%xmm0, (%rsi,%rdi,4)
	leal	1(%rax), %edi
	cmpl	%edi, %edx
	jle	.L387
	leal	2(%rax), %edi
	vmovss	%xmm0, 4(%rsi,%rcx)
	cmpl	%edx, %edi
	jge	.L387
	leal	3(%rax), %edi
	vmovss	%xmm0, 8(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L387
	leal	4(%rax), %edi
	vmovss	%xmm0, 12(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L387
	leal	5(%rax), %edi
	vmovss	%xmm0, 16(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L387
	addl	$6, %eax
	vmovss	%xmm0, 20(%rsi,%rcx)
	cmpl	%eax, %edx
	jle	.L387
	vmovss	%xmm0, 24(%rsi,%rcx)
	vzeroupper
	jmp	.L370
	.p2align 4,,10
	.p2align 3
.L387:
	vzeroupper
.L370:
	movq	80(%rbx), %rdi
	salq	$6, %rdx
	xorl	%esi, %esi
	call	memset@PLT
	movslq	200(%rbx), %rdx
	movq	88(%rbx), %rdi
	xorl	%esi, %esi
	imulq	192(%rbx), %rdx
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	salq	$2, %rdx
	jmp	memset@PLT
.L376:
	.cfi_restore_state
	xorl	%ecx, %ecx
	xorl	%eax, %eax
	jmp	.L371
	.cfi_endproc
.LFE7092:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE15start_partitionEv, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE15start_partitionEv
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E4M3EEEDv16_fPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E4M3EEEDv16_fPKNT_1TEl:
.LFB6895:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$64, %rsp
	vmovdqa	%xmm0, 48(%rsp)
	testq	%rsi, %rsi
	jle	.L391
	leaq	48(%rsp), %rax
	movq	%rsi, %rdx
	movq	%rdi, %rsi
	movq	%rax, %rdi
	call	memcpy@PLT
	vpmovzxbd	48(%rsp), %zmm1
.L390:
	movl	$127, %eax
	vpbroadcastd	%eax, %zmm2
	movl	$2143289344, %eax
	vpandd	%zmm2, %zmm1, %zmm0
	vpcmpd	$0, %zmm2, %zmm0, %k1
	vpslld	$20, %zmm0, %zmm0
	vmulps	.LC21(%rip){1to16}, %zmm0, %zmm0
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	vpbroadcastd	%eax, %zmm3{%k1}{z}
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm2, %zmm1, %zmm1
	vpslld	$24, %zmm1, %zmm1
	vpternlogd	$254, %zmm1, %zmm3, %zmm0
	ret
	.p2align 4,,10
	.p2align 3
.L391:
	.cfi_restore_state
	vpxor	%xmm1, %xmm1, %xmm1
	jmp	.L390
	.cfi_endproc
.LFE6895:
	.size	_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E4M3EEEDv16_fPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E4M3EEEDv16_fPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E5M2EEEDv16_fPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E5M2EEEDv16_fPKNT_1TEl:
.LFB6896:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$64, %rsp
	vmovdqa	%xmm0, 48(%rsp)
	testq	%rsi, %rsi
	jle	.L395
	leaq	48(%rsp), %rax
	movq	%rsi, %rdx
	movq	%rdi, %rsi
	movq	%rax, %rdi
	call	memcpy@PLT
	vpmovzxbd	48(%rsp), %zmm1
.L394:
	movl	$127, %eax
	vpbroadcastd	%eax, %zmm0
	movl	$123, %eax
	vpandd	%zmm0, %zmm1, %zmm0
	vpbroadcastd	%eax, %zmm2
	movl	$2139095040, %eax
	vpcmpd	$6, %zmm2, %zmm0, %k1
	vpslld	$21, %zmm0, %zmm0
	vmulps	.LC26(%rip){1to16}, %zmm0, %zmm0
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	vpbroadcastd	%eax, %zmm3{%k1}{z}
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm2, %zmm1, %zmm1
	vpslld	$24, %zmm1, %zmm1
	vpternlogd	$254, %zmm1, %zmm3, %zmm0
	ret
	.p2align 4,,10
	.p2align 3
.L395:
	.cfi_restore_state
	vpxor	%xmm1, %xmm1, %xmm1
	jmp	.L394
	.cfi_endproc
.LFE6896:
	.size	_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E5M2EEEDv16_fPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E5M2EEEDv16_fPKNT_1TEl
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE13merge_partialEi, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE13merge_partialEi:
.LFB7095:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movslq	%esi, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	pushq	%rbx
	movslq	200(%rdi), %rdx
	.cfi_offset 12, -24
	.cfi_offset 3, -32
	movq	%rdi, %rbx
	movq	192(%rbx), %rcx
	movq	8(%rbx), %r8
	imulq	%rdx, %rax
	movq	%rdx, %rdi
	salq	$2, %rdx
	leaq	2(%rcx), %r9
	movq	32(%r8), %r8
	andq	$-64, %rsp
	imulq	%r9, %rax
	leaq	(%r8,%rax,4), %r12
	testl	%esi, %esi
	jne	.L415
	movq	96(%rbx), %rdi
	movq	%r12, %rsi
	call	memcpy@PLT
	movslq	200(%rbx), %rdx
	movq	104(%rbx), %rdi
	salq	$2, %rdx
	leaq	(%r12,%rdx), %rsi
	call	memcpy@PLT
	movslq	200(%rbx), %rdx
	movq	120(%rbx), %rdi
	movq	%rdx, %rax
	imulq	192(%rbx), %rdx
	leaq	-16(%rbp), %rsp
	addl	%eax, %eax
	popq	%rbx
	cltq
	leaq	(%r12,%rax,4), %rsi
	salq	$2, %rdx
	popq	%r12
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	jmp	memcpy@PLT
	.p2align 4,,10
	.p2align 3
.L415:
	.cfi_restore_state
	leal	(%rdi,%rdi), %r8d
	movslq	%r8d, %r8
	salq	$2, %r8
	testl	%edi, %edi
	jle	.L413
	vmovss	.LC27(%rip), %xmm13
	xorl	%edi, %edi
	leaq	(%r12,%rdx), %r9
	vbroadcastss	.LC29(%rip), %zmm12
	vbroadcastss	.LC31(%rip), %zmm11
	vbroadcastss	.LC33(%rip), %zmm10
	vbroadcastss	.LC35(%rip), %zmm9
	vbroadcastss	.LC37(%rip), %zmm8
	vbroadcastss	.LC39(%rip), %zmm7
	vbroadcastss	.LC41(%rip), %zmm6
	vbroadcastss	.LC43(%rip), %zmm5
	vbroadcastss	.LC45(%rip), %zmm4
	vbroadcastss	.LC47(%rip), %zmm3
	vbroadcastss	.LC49(%rip), %zmm2
	.p2align 4,,10
	.p2align 3
.L399:
	movq	104(%rbx), %r11
	leaq	0(,%rdi,4), %rax
	movq	%rdi, %rdx
	vmovss	(%r12,%rdi,4), %xmm0
	imulq	%rcx, %rdx
	vmovss	(%r9,%rdi,4), %xmm15
	movq	120(%rbx), %r10
	addq	%rax, %r11
	addq	96(%rbx), %rax
	vmovss	(%rax), %xmm1
	salq	$2, %rdx
	vmaxss	%xmm0, %xmm1, %xmm14
	leaq	(%r8,%rdx), %rsi
	vucomiss	%xmm14, %xmm13
	ja	.L402
	vsubss	%xmm14, %xmm1, %xmm1
	vsubss	%xmm14, %xmm0, %xmm0
.L402:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm8, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm14, (%rax)
	vmaxps	%zmm1, %zmm12, %zmm1
	vmaxps	%zmm0, %zmm12, %zmm0
	vmulps	%zmm11, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm10, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm7, %zmm16
	vfmadd132ps	%zmm1, %zmm6, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm2, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm11, %zmm0, %zmm17
	vmovaps	%zmm8, %zmm1
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm10, %zmm17, %zmm0
	vfmadd231ps	%zmm9, %zmm17, %zmm0
	vmulps	%zmm0, %zmm0, %zmm18
	vfmadd132ps	%zmm0, %zmm7, %zmm1
	vfmadd132ps	%zmm0, %zmm6, %zmm1
	vfmadd132ps	%zmm0, %zmm5, %zmm1
	vfmadd132ps	%zmm0, %zmm4, %zmm1
	vfmadd132ps	%zmm0, %zmm3, %zmm1
	vfmadd132ps	%zmm18, %zmm0, %zmm1
	vmulss	(%r11), %xmm16, %xmm0
	vaddps	%zmm2, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vmulss	%xmm15, %xmm1, %xmm14
	vaddss	%xmm14, %xmm0, %xmm0
	vmovss	%xmm0, (%r11)
	testq	%rcx, %rcx
	jle	.L408
	vbroadcastss	%xmm16, %zmm14
	xorl	%eax, %eax
	addq	%r10, %rdx
	addq	%r12, %rsi
	vbroadcastss	%xmm1, %zmm1
	.p2align 4,,10
	.p2align 3
.L407:
	vmulps	(%rdx,%rax,4), %zmm14, %zmm0
	vfmadd231ps	(%rsi,%rax,4), %zmm1, %zmm0
	vmovups	%zmm0, (%rdx,%rax,4)
	addq	$16, %rax
	cmpq	%rcx, %rax
	jl	.L407
.L408:
	addq	$1, %rdi
	cmpl	%edi, 200(%rbx)
	jle	.L416
	movq	192(%rbx), %rcx
	jmp	.L399
	.p2align 4,,10
	.p2align 3
.L416:
	vzeroupper
.L413:
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7095:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE13merge_partialEi, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE13merge_partialEi
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_19transposeEPDv16_f, @function
_ZN10torchpaged12_GLOBAL__N_19transposeEPDv16_f:
.LFB6451:
	.cfi_startproc
	vmovdqa32	128(%rdi), %zmm3
	vmovdqa32	(%rdi), %zmm5
	vpunpckldq	192(%rdi), %zmm3, %zmm12
	vpunpckldq	64(%rdi), %zmm5, %zmm2
	vpunpckhdq	64(%rdi), %zmm5, %zmm0
	vpunpckhdq	192(%rdi), %zmm3, %zmm7
	vmovdqa32	384(%rdi), %zmm6
	vmovdqa32	256(%rdi), %zmm3
	vpunpckldq	448(%rdi), %zmm6, %zmm10
	vpunpckldq	320(%rdi), %zmm3, %zmm9
	vpunpckhdq	320(%rdi), %zmm3, %zmm14
	vpunpckhdq	448(%rdi), %zmm6, %zmm5
	vmovdqa32	512(%rdi), %zmm3
	vpunpcklqdq	%zmm10, %zmm9, %zmm17
	vpunpckhdq	576(%rdi), %zmm3, %zmm1
	vpunpckhqdq	%zmm10, %zmm9, %zmm9
	vmovdqa32	640(%rdi), %zmm3
	vpunpcklqdq	%zmm5, %zmm14, %zmm15
	vpunpckldq	704(%rdi), %zmm3, %zmm16
	vpunpckhqdq	%zmm5, %zmm14, %zmm14
	vpunpckhdq	704(%rdi), %zmm3, %zmm13
	vmovdqa32	896(%rdi), %zmm4
	vmovdqa32	768(%rdi), %zmm3
	vpunpckldq	960(%rdi), %zmm4, %zmm18
	vpunpckldq	832(%rdi), %zmm3, %zmm8
	vpunpckhqdq	%zmm13, %zmm1, %zmm5
	vmovdqa32	512(%rdi), %zmm6
	vpunpckldq	576(%rdi), %zmm6, %zmm6
	vpunpckhdq	960(%rdi), %zmm4, %zmm11
	vpunpcklqdq	%zmm12, %zmm2, %zmm4
	vpunpckhdq	832(%rdi), %zmm3, %zmm3
	vpunpckhqdq	%zmm12, %zmm2, %zmm2
	vpunpcklqdq	%zmm7, %zmm0, %zmm12
	vpunpcklqdq	%zmm16, %zmm6, %zmm10
	vpunpckhqdq	%zmm16, %zmm6, %zmm6
	vpunpcklqdq	%zmm18, %zmm8, %zmm16
	vpunpckhqdq	%zmm7, %zmm0, %zmm0
	vpunpcklqdq	%zmm13, %zmm1, %zmm7
	vpunpcklqdq	%zmm11, %zmm3, %zmm13
	vshufi32x4	$136, %zmm17, %zmm4, %zmm1
	vpunpckhqdq	%zmm11, %zmm3, %zmm3
	vshufi32x4	$136, %zmm16, %zmm10, %zmm11
	vpunpckhqdq	%zmm18, %zmm8, %zmm8
	vshufi32x4	$221, %zmm16, %zmm10, %zmm10
	vshufi32x4	$221, %zmm17, %zmm4, %zmm4
	vshufi32x4	$136, %zmm11, %zmm1, %zmm16
	vshufi32x4	$221, %zmm11, %zmm1, %zmm1
	vmovdqa32	%zmm16, (%rdi)
	vshufi32x4	$136, %zmm10, %zmm4, %zmm16
	vshufi32x4	$221, %zmm10, %zmm4, %zmm4
	vmovdqa32	%zmm1, 512(%rdi)
	vshufi32x4	$136, %zmm9, %zmm2, %zmm1
	vshufi32x4	$221, %zmm9, %zmm2, %zmm2
	vshufi32x4	$136, %zmm8, %zmm6, %zmm9
	vmovdqa32	%zmm4, 768(%rdi)
	vshufi32x4	$221, %zmm8, %zmm6, %zmm4
	vshufi32x4	$136, %zmm9, %zmm1, %zmm6
	vshufi32x4	$221, %zmm9, %zmm1, %zmm1
	vmovdqa32	%zmm6, 64(%rdi)
	vshufi32x4	$136, %zmm4, %zmm2, %zmm6
	vshufi32x4	$221, %zmm4, %zmm2, %zmm2
	vshufi32x4	$136, %zmm15, %zmm12, %zmm4
	vmovdqa32	%zmm6, 320(%rdi)
	vshufi32x4	$136, %zmm13, %zmm7, %zmm6
	vmovdqa32	%zmm1, 576(%rdi)
	vshufi32x4	$221, %zmm15, %zmm12, %zmm1
	vmovdqa32	%zmm16, 256(%rdi)
	vmovdqa32	%zmm2, 832(%rdi)
	vshufi32x4	$221, %zmm13, %zmm7, %zmm2
	vshufi32x4	$136, %zmm6, %zmm4, %zmm7
	vshufi32x4	$221, %zmm6, %zmm4, %zmm4
	vmovdqa32	%zmm7, 128(%rdi)
	vshufi32x4	$136, %zmm2, %zmm1, %zmm7
	vshufi32x4	$221, %zmm2, %zmm1, %zmm1
	vshufi32x4	$136, %zmm14, %zmm0, %zmm2
	vmovdqa32	%zmm4, 640(%rdi)
	vshufi32x4	$136, %zmm3, %zmm5, %zmm4
	vshufi32x4	$221, %zmm14, %zmm0, %zmm0
	vmovdqa32	%zmm1, 896(%rdi)
	vshufi32x4	$221, %zmm3, %zmm5, %zmm1
	vshufi32x4	$136, %zmm4, %zmm2, %zmm3
	vshufi32x4	$221, %zmm4, %zmm2, %zmm2
	vmovdqa32	%zmm3, 192(%rdi)
	vshufi32x4	$136, %zmm1, %zmm0, %zmm3
	vshufi32x4	$221, %zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm7, 384(%rdi)
	vmovdqa32	%zmm3, 448(%rdi)
	vmovdqa32	%zmm2, 704(%rdi)
	vmovdqa32	%zmm0, 960(%rdi)
	vzeroupper
	ret
	.cfi_endproc
.LFE6451:
	.size	_ZN10torchpaged12_GLOBAL__N_19transposeEPDv16_f, .-_ZN10torchpaged12_GLOBAL__N_19transposeEPDv16_f
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3EEEviPKfllS4_Pfb.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3EEEviPKfllS4_Pfb.constprop.0:
.LFB7580:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edi, %eax
	movq	%rcx, %r11
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	pushq	%rbx
	.cfi_offset 12, -24
	.cfi_offset 3, -32
	movq	%r8, %rbx
	movq	%r9, %r8
	cmpl	$4, %eax
	je	.L419
	testl	%eax, %eax
	jle	.L428
	movslq	%eax, %r9
	leaq	0(,%rdx,4), %rcx
	leaq	(%r11,%rdx), %rax
	xorl	%r10d, %r10d
	leaq	(%rdi,%rcx), %r12
	salq	$6, %r9
	leaq	(%rdi,%rax,4), %rdi
	negq	%rcx
	.p2align 4,,10
	.p2align 3
.L424:
	testq	%r11, %r11
	jle	.L425
	vxorps	%xmm1, %xmm1, %xmm1
	leaq	(%rbx,%r10), %rdx
	movq	%r12, %rax
	vmovaps	%zmm1, %zmm2
	vmovaps	%zmm1, %zmm3
	.p2align 4,,10
	.p2align 3
.L423:
	vmovups	(%rdx), %zmm0
	addq	$256, %rdx
	vfmadd231ps	(%rax,%rcx){1to16}, %zmm0, %zmm3
	vfmadd231ps	(%rax){1to16}, %zmm0, %zmm2
	vfmadd231ps	(%rax,%rsi,4){1to16}, %zmm0, %zmm1
	addq	$4, %rax
	cmpq	%rax, %rdi
	jne	.L423
.L422:
	vmovups	%zmm3, (%r8,%r10)
	vmovups	%zmm2, 256(%r8,%r10)
	vmovups	%zmm1, 512(%r8,%r10)
	addq	$64, %r10
	cmpq	%r10, %r9
	jne	.L424
	vzeroupper
.L428:
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L425:
	.cfi_restore_state
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%zmm1, %zmm2
	vmovaps	%zmm1, %zmm3
	jmp	.L422
.L419:
	movq	%rbx, %rcx
	xorl	%r9d, %r9d
	popq	%rbx
	movq	%r11, %rdx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	jmp	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb
	.cfi_endproc
.LFE7580:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3EEEviPKfllS4_Pfb.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3EEEviPKfllS4_Pfb.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi3ELi8EEEvlPflPKfS5_S5_l.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi3ELi8EEEvlPflPKfS5_S5_l.constprop.0:
.LFB7581:
	.cfi_startproc
	leaq	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	andq	$-64, %rsp
	pushq	-8(%r10)
	pushq	%rbp
	movq	%rsp, %rbp
	.cfi_escape 0x10,0x6,0x2,0x76,0
	pushq	%r15
	pushq	%r14
	.cfi_escape 0x10,0xf,0x2,0x76,0x78
	.cfi_escape 0x10,0xe,0x2,0x76,0x70
	movq	%rdx, %r14
	movq	%rcx, %rdx
	movq	%r8, %rcx
	pushq	%r13
	pushq	%r12
	.cfi_escape 0x10,0xd,0x2,0x76,0x68
	.cfi_escape 0x10,0xc,0x2,0x76,0x60
	movq	%rsi, %r12
	pushq	%r10
	.cfi_escape 0xf,0x3,0x76,0x58,0x6
	pushq	%rbx
	subq	$64, %rsp
	.cfi_escape 0x10,0x3,0x2,0x76,0x50
	movq	%rdi, -64(%rbp)
	cmpq	$127, %rsi
	jle	.L442
	leaq	-128(%rsi), %rax
	movq	%rdx, -56(%rbp)
	movq	%r8, %r13
	movq	%r9, %r15
	shrq	$7, %rax
	movq	%r8, -80(%rbp)
	movq	%rax, %rsi
	movq	%rax, -72(%rbp)
	salq	$9, %rsi
	leaq	512(%rdi,%rsi), %rbx
	.p2align 4,,10
	.p2align 3
.L432:
	subq	$8, %rsp
	movq	-56(%rbp), %rcx
	movq	%r13, %r8
	movq	%r12, %r9
	pushq	%r15
	movq	%r14, %rdx
	movq	%r12, %rsi
	addq	$512, %r13
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll
	addq	$512, %rdi
	popq	%r8
	popq	%r9
	cmpq	%rdi, %rbx
	jne	.L432
	movq	-72(%rbp), %r13
	movq	-56(%rbp), %rdx
	movq	%r15, %r9
	movq	-80(%rbp), %rcx
	leaq	1(%r13), %rbx
	salq	$7, %rbx
	movq	%rbx, %rsi
	leaq	63(%rbx), %rax
.L431:
	cmpq	%rax, %r12
	jle	.L433
	movq	-64(%rbp), %rax
	movq	%rsi, -72(%rbp)
	movq	%r14, %rbx
	movq	%r9, %r13
	leaq	0(,%rsi,4), %r15
	movq	%rdx, -56(%rbp)
	movq	%rcx, -80(%rbp)
	leaq	(%rax,%r15), %rdi
	addq	%rcx, %r15
	movq	%r12, %rax
	movq	%r15, %r14
	movq	%rsi, %r12
	movq	%rbx, %r15
	movq	%rax, %rbx
	.p2align 4,,10
	.p2align 3
.L434:
	subq	$8, %rsp
	movq	-56(%rbp), %rcx
	movq	%r14, %r8
	movq	%rbx, %rsi
	pushq	%r13
	movq	%rbx, %r9
	movq	%r15, %rdx
	addq	$256, %r14
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll
	movq	%r12, %rax
	popq	%rcx
	addq	$64, %r12
	addq	$127, %rax
	addq	$256, %rdi
	popq	%rsi
	cmpq	%rax, %rbx
	jg	.L434
	movq	-72(%rbp), %rsi
	leaq	-64(%rbx), %rax
	movq	-56(%rbp), %rdx
	movq	%rbx, %r12
	movq	-80(%rbp), %rcx
	movq	%r15, %r14
	movq	%r13, %r9
	subq	%rsi, %rax
	leaq	63(%rsi), %rdi
	andq	$-64, %rax
	cmpq	%rdi, %rbx
	movl	$0, %edi
	cmovle	%rdi, %rax
	leaq	64(%rsi,%rax), %rsi
.L433:
	leaq	31(%rsi), %rax
	cmpq	%rax, %r12
	jle	.L435
	movq	-64(%rbp), %rax
	leaq	0(,%rsi,4), %r8
	leaq	32(%rsi), %r10
	movq	%rdx, -56(%rbp)
	movq	%rcx, -80(%rbp)
	leaq	(%rcx,%r8), %r13
	leaq	(%rax,%r8), %rdi
	leaq	-32(%r12), %rax
	movq	%r10, -88(%rbp)
	subq	%rsi, %rax
	movq	%rax, %r15
	movq	%rax, -72(%rbp)
	movq	%r9, %rax
	movq	%r12, %r9
	andq	$-32, %r15
	movq	%r13, %r12
	movq	%rax, %rbx
	movq	%r14, %r13
	addq	%r10, %r15
	movq	%rsi, %r14
	.p2align 4,,10
	.p2align 3
.L436:
	subq	$8, %rsp
	movq	-56(%rbp), %rcx
	movq	%r12, %r8
	movq	%r13, %rdx
	pushq	%rbx
	movq	%r9, %rsi
	addq	$32, %r14
	subq	$-128, %r12
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll
	popq	%rax
	subq	$-128, %rdi
	popq	%rdx
	cmpq	%r15, %r14
	jne	.L436
	movq	-72(%rbp), %rax
	movq	-88(%rbp), %r10
	movq	%r9, %r12
	movq	%r13, %r14
	movq	-56(%rbp), %rdx
	movq	-80(%rbp), %rcx
	movq	%rbx, %r9
	andq	$-32, %rax
	leaq	(%rax,%r10), %rsi
.L435:
	leaq	15(%rsi), %rax
	cmpq	%rax, %r12
	jle	.L448
	movq	-64(%rbp), %r13
	leaq	0(,%rsi,4), %rdi
	leaq	(%rdx,%r9,4), %r10
	leaq	0(,%r12,4), %r8
	leaq	0(,%r12,8), %r11
	addq	%rdi, %r13
	.p2align 4,,10
	.p2align 3
.L440:
	vbroadcastss	(%r14), %zmm3
	vbroadcastss	4(%r14), %zmm2
	vbroadcastss	8(%r14), %zmm1
	vmulps	0(%r13), %zmm3, %zmm3
	vmulps	0(%r13,%r8), %zmm2, %zmm2
	vmulps	0(%r13,%r11), %zmm1, %zmm1
	testq	%r9, %r9
	jle	.L438
	addq	%rcx, %rdi
	movq	%rdx, %rax
	.p2align 4,,10
	.p2align 3
.L439:
	vmovups	(%rdi), %zmm0
	addq	$4, %rax
	addq	%r8, %rdi
	vfmadd231ps	-4(%rax){1to16}, %zmm0, %zmm3
	vfmadd231ps	252(%rax){1to16}, %zmm0, %zmm2
	vfmadd231ps	508(%rax){1to16}, %zmm0, %zmm1
	cmpq	%rax, %r10
	jne	.L439
.L438:
	leaq	16(%rsi), %rax
	addq	$31, %rsi
	vmovups	%zmm3, 0(%r13)
	addq	$64, %r13
	vmovups	%zmm2, -64(%r13,%r8)
	vmovups	%zmm1, -64(%r13,%r11)
	cmpq	%rsi, %r12
	jle	.L450
	movq	%rax, %rsi
	leaq	0(,%rax,4), %rdi
	jmp	.L440
.L450:
	vzeroupper
.L448:
	leaq	-48(%rbp), %rsp
	popq	%rbx
	popq	%r10
	.cfi_remember_state
	.cfi_def_cfa 10, 0
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	leaq	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
.L442:
	.cfi_restore_state
	movl	$63, %eax
	xorl	%esi, %esi
	jmp	.L431
	.cfi_endproc
.LFE7581:
	.size	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi3ELi8EEEvlPflPKfS5_S5_l.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi3ELi8EEEvlPflPKfS5_S5_l.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0:
.LFB7582:
	.cfi_startproc
	vbroadcastss	(%rsi), %zmm9
	vmulps	(%rdi), %zmm9, %zmm16
	vmulps	64(%rdi), %zmm9, %zmm15
	vmulps	128(%rdi), %zmm9, %zmm14
	vmulps	192(%rdi), %zmm9, %zmm13
	vmulps	256(%rdi), %zmm9, %zmm12
	vmulps	320(%rdi), %zmm9, %zmm11
	vmulps	384(%rdi), %zmm9, %zmm10
	vmulps	448(%rdi), %zmm9, %zmm9
	testq	%r9, %r9
	jle	.L452
	leaq	0(,%r8,4), %rax
	leaq	(%rdx,%r9,4), %rsi
	.p2align 4,,10
	.p2align 3
.L453:
	vbroadcastss	(%rdx), %zmm0
	addq	$4, %rdx
	vmovups	(%rcx), %zmm8
	vmovups	64(%rcx), %zmm7
	vmovups	128(%rcx), %zmm6
	vmovups	192(%rcx), %zmm5
	vmovups	256(%rcx), %zmm4
	vmovups	320(%rcx), %zmm3
	vmovups	384(%rcx), %zmm2
	vmovups	448(%rcx), %zmm1
	addq	%rax, %rcx
	vfmadd231ps	%zmm8, %zmm0, %zmm16
	vfmadd231ps	%zmm7, %zmm0, %zmm15
	vfmadd231ps	%zmm6, %zmm0, %zmm14
	vfmadd231ps	%zmm5, %zmm0, %zmm13
	vfmadd231ps	%zmm4, %zmm0, %zmm12
	vfmadd231ps	%zmm3, %zmm0, %zmm11
	vfmadd231ps	%zmm2, %zmm0, %zmm10
	vfmadd231ps	%zmm1, %zmm0, %zmm9
	cmpq	%rdx, %rsi
	jne	.L453
.L452:
	vmovups	%zmm16, (%rdi)
	vmovups	%zmm15, 64(%rdi)
	vmovups	%zmm14, 128(%rdi)
	vmovups	%zmm13, 192(%rdi)
	vmovups	%zmm12, 256(%rdi)
	vmovups	%zmm11, 320(%rdi)
	vmovups	%zmm10, 384(%rdi)
	vmovups	%zmm9, 448(%rdi)
	vzeroupper
	ret
	.cfi_endproc
.LFE7582:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0:
.LFB7583:
	.cfi_startproc
	vbroadcastss	(%rsi), %zmm5
	vmulps	(%rdi), %zmm5, %zmm8
	vmulps	64(%rdi), %zmm5, %zmm7
	vmulps	128(%rdi), %zmm5, %zmm6
	vmulps	192(%rdi), %zmm5, %zmm5
	testq	%r9, %r9
	jle	.L456
	leaq	0(,%r8,4), %rax
	leaq	(%rdx,%r9,4), %rsi
	.p2align 4,,10
	.p2align 3
.L457:
	vbroadcastss	(%rdx), %zmm4
	addq	$4, %rdx
	vmovups	(%rcx), %zmm3
	vmovups	64(%rcx), %zmm2
	vmovups	128(%rcx), %zmm1
	vmovups	192(%rcx), %zmm0
	addq	%rax, %rcx
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rdx, %rsi
	jne	.L457
.L456:
	vmovups	%zmm8, (%rdi)
	vmovups	%zmm7, 64(%rdi)
	vmovups	%zmm6, 128(%rdi)
	vmovups	%zmm5, 192(%rdi)
	vzeroupper
	ret
	.cfi_endproc
.LFE7583:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0:
.LFB7584:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdx, %r13
	pushq	%r12
	.cfi_offset 12, -48
	movq	%rcx, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rsi, %rbx
	andq	$-64, %rsp
	subq	$64, %rsp
	movq	%r8, 56(%rsp)
	cmpq	$127, %rsi
	jle	.L473
	leaq	-128(%rsi), %r15
	movq	%r8, %r14
	movq	%rsi, %r8
	shrq	$7, %r15
	movq	%r15, %rax
	salq	$9, %rax
	leaq	512(%rdi,%rax), %r10
	.p2align 4,,10
	.p2align 3
.L461:
	movq	%r14, %rcx
	movq	%r12, %rdx
	movq	%r13, %rsi
	addq	$512, %r14
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0
	addq	$512, %rdi
	cmpq	%rdi, %r10
	jne	.L461
	leaq	1(%r15), %r10
	movq	%r8, %rbx
	salq	$7, %r10
	leaq	63(%r10), %rax
.L460:
	cmpq	%rax, %rbx
	jle	.L462
	movq	56(%rsp), %rax
	leaq	0(,%r10,4), %r14
	movq	%r10, %r15
	movq	%rbx, %r8
	leaq	(%r11,%r14), %rdi
	addq	%rax, %r14
	.p2align 4,,10
	.p2align 3
.L463:
	movq	%r14, %rcx
	movq	%r12, %rdx
	movq	%r13, %rsi
	addq	$256, %r14
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0
	movq	%r15, %rax
	addq	$256, %rdi
	addq	$64, %r15
	addq	$127, %rax
	cmpq	%rax, %r8
	jg	.L463
	leaq	-64(%r8), %rax
	leaq	63(%r10), %rdx
	movq	%r8, %rbx
	subq	%r10, %rax
	andq	$-64, %rax
	cmpq	%rdx, %r8
	movl	$0, %edx
	cmovle	%rdx, %rax
	leaq	64(%r10,%rax), %r10
.L462:
	leaq	31(%r10), %rax
	cmpq	%rax, %rbx
	jle	.L464
	leaq	-32(%rbx), %rdx
	movq	56(%rsp), %rax
	leaq	32(%r10), %r14
	subq	%r10, %rdx
	leaq	0(,%rbx,4), %rsi
	leaq	(%r12,%r9,4), %rcx
	movq	%rdx, %r8
	leaq	(%rax,%r10,4), %rdi
	andq	$-32, %r8
	addq	%r14, %r8
	.p2align 4,,10
	.p2align 3
.L467:
	vbroadcastss	0(%r13), %zmm3
	vmulps	(%r11,%r10,4), %zmm3, %zmm4
	vmulps	64(%r11,%r10,4), %zmm3, %zmm3
	testq	%r9, %r9
	jle	.L465
	movq	%r12, %r15
	movq	%rdi, %rax
	.p2align 4,,10
	.p2align 3
.L466:
	vbroadcastss	(%r15), %zmm2
	addq	$4, %r15
	vmovups	(%rax), %zmm1
	vmovups	64(%rax), %zmm0
	addq	%rsi, %rax
	vfmadd231ps	%zmm1, %zmm2, %zmm4
	vfmadd231ps	%zmm0, %zmm2, %zmm3
	cmpq	%r15, %rcx
	jne	.L466
.L465:
	vmovups	%zmm4, (%r11,%r10,4)
	subq	$-128, %rdi
	vmovups	%zmm3, 64(%r11,%r10,4)
	addq	$32, %r10
	cmpq	%r8, %r10
	jne	.L467
	andq	$-32, %rdx
	leaq	(%rdx,%r14), %r10
.L464:
	leaq	15(%r10), %rax
	movq	56(%rsp), %rdi
	leaq	0(,%rbx,4), %rsi
	leaq	(%r12,%r9,4), %rcx
	cmpq	%rax, %rbx
	jle	.L482
	.p2align 4,,10
	.p2align 3
.L471:
	vbroadcastss	0(%r13), %zmm1
	leaq	0(,%r10,4), %rdx
	vmulps	(%r11,%r10,4), %zmm1, %zmm1
	testq	%r9, %r9
	jle	.L469
	addq	%rdi, %rdx
	movq	%r12, %rax
	.p2align 4,,10
	.p2align 3
.L470:
	vmovups	(%rdx), %zmm0
	addq	$4, %rax
	addq	%rsi, %rdx
	vfmadd231ps	-4(%rax){1to16}, %zmm0, %zmm1
	cmpq	%rax, %rcx
	jne	.L470
.L469:
	vmovups	%zmm1, (%r11,%r10,4)
	leaq	16(%r10), %rax
	addq	$31, %r10
	cmpq	%r10, %rbx
	jle	.L482
	movq	%rax, %r10
	jmp	.L471
.L482:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L473:
	.cfi_restore_state
	movl	$63, %eax
	xorl	%r10d, %r10d
	jmp	.L460
	.cfi_endproc
.LFE7584:
	.size	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl, @function
_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl:
.LFB6768:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %rax
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%rsi, (%rdi)
	movq	%rdx, %rdi
	movl	$32, %edx
	salq	$5, %rdi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	vmovdqu8	%zmm0, 24(%rax)
	movq	72(%rsi), %r10
	movq	96(%rsi), %rcx
	movq	%rdi, 8(%rax)
	vmovdqu8	%zmm0, 88(%rax)
	vmovdqu8	%zmm0, 152(%rax)
	subq	%rdi, %r10
	vmovdqu8	%zmm0, 216(%rax)
	cmpq	%rdx, %r10
	cmovle	%r10, %rdx
	movq	%rdx, 16(%rax)
	testq	%rcx, %rcx
	je	.L485
	movl	104(%rsi), %esi
	cmpl	$1, %esi
	je	.L486
	cmpl	$2, %esi
	jne	.L487
	xorl	%esi, %esi
	leaq	-64(%rsp), %r8
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%r10, %r10
	jg	.L488
	jmp	.L551
	.p2align 4,,10
	.p2align 3
.L499:
	xorl	%edi, %edi
	testb	$4, %dl
	je	.L502
	movl	(%rcx), %edi
	movl	%edi, (%r10)
	movl	$4, %edi
.L502:
	andl	$2, %edx
	je	.L504
	movzwl	(%rcx,%rdi), %edx
	movw	%dx, (%r10,%rdi)
.L504:
	vpmovzxwd	-64(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovups	%zmm0, 24(%rax,%rsi,4)
	movq	16(%rax), %rdx
	addq	$16, %rsi
	cmpq	%rsi, %rdx
	jle	.L554
	movq	(%rax), %rcx
	movq	8(%rax), %rdi
	movq	96(%rcx), %rcx
.L488:
	movl	$16, %r9d
	subq	%rsi, %rdx
	vmovdqa	%ymm1, -64(%rsp)
	movq	%r8, %r10
	cmpq	%r9, %rdx
	cmovg	%r9, %rdx
	addq	%rsi, %rdi
	leaq	(%rcx,%rdi,2), %r9
	addq	%rdx, %rdx
	movq	%r9, %rcx
	cmpl	$8, %edx
	jb	.L499
	movl	%edx, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L500:
	movl	%ecx, %edi
	addl	$8, %ecx
	movq	(%r9,%rdi), %r10
	movq	%r10, (%r8,%rdi)
	cmpl	%r11d, %ecx
	jb	.L500
	leaq	(%r8,%rcx), %r10
	addq	%r9, %rcx
	jmp	.L499
	.p2align 4,,10
	.p2align 3
.L487:
	xorl	%r9d, %r9d
	leaq	-64(%rsp), %r8
	vpxor	%xmm0, %xmm0, %xmm0
	testq	%r10, %r10
	jg	.L491
	jmp	.L551
	.p2align 4,,10
	.p2align 3
.L510:
	movq	(%rax), %rcx
	movq	8(%rax), %rdi
	movq	96(%rcx), %rcx
.L491:
	movl	$16, %esi
	subq	%r9, %rdx
	vmovdqa64	%zmm0, -64(%rsp)
	cmpq	%rsi, %rdx
	cmovg	%rsi, %rdx
	leaq	(%rdi,%r9), %rsi
	movq	%r8, %rdi
	leaq	(%rcx,%rsi,4), %rsi
	salq	$2, %rdx
	cmpl	$8, %edx
	jb	.L506
	movl	%edx, %ecx
	shrl	$3, %ecx
	rep movsq
.L506:
	andl	$4, %edx
	je	.L509
	movl	(%rsi), %edx
	movl	%edx, (%rdi)
.L509:
	vmovaps	-64(%rsp), %zmm2
	vmovups	%zmm2, 24(%rax,%r9,4)
	movq	16(%rax), %rdx
	addq	$16, %r9
	cmpq	%r9, %rdx
	jg	.L510
.L554:
	movq	(%rax), %rsi
.L485:
	movq	112(%rsi), %rcx
	testq	%rcx, %rcx
	je	.L551
	testq	%rdx, %rdx
	jle	.L551
	salq	$2, %rdx
	movq	8(%rax), %rsi
	leaq	152(%rax), %rdi
	vzeroupper
	leaq	(%rcx,%rsi,4), %rsi
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	jmp	memmove@PLT
	.p2align 4,,10
	.p2align 3
.L551:
	.cfi_restore_state
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L486:
	.cfi_restore_state
	xorl	%esi, %esi
	leaq	-64(%rsp), %r8
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%r10, %r10
	jg	.L490
	jmp	.L551
	.p2align 4,,10
	.p2align 3
.L492:
	xorl	%edi, %edi
	testb	$4, %dl
	je	.L495
	movl	(%rcx), %edi
	movl	%edi, (%r10)
	movl	$4, %edi
.L495:
	andl	$2, %edx
	je	.L497
	movzwl	(%rcx,%rdi), %edx
	movw	%dx, (%r10,%rdi)
.L497:
	vcvtph2ps	-64(%rsp), %zmm0
	vmovups	%zmm0, 24(%rax,%rsi,4)
	movq	16(%rax), %rdx
	addq	$16, %rsi
	cmpq	%rsi, %rdx
	jle	.L554
	movq	(%rax), %rcx
	movq	8(%rax), %rdi
	movq	96(%rcx), %rcx
.L490:
	movl	$16, %r9d
	subq	%rsi, %rdx
	vmovdqa	%ymm1, -64(%rsp)
	movq	%r8, %r10
	cmpq	%r9, %rdx
	cmovg	%r9, %rdx
	addq	%rsi, %rdi
	leaq	(%rcx,%rdi,2), %r9
	addq	%rdx, %rdx
	movq	%r9, %rcx
	cmpl	$8, %edx
	jb	.L492
	movl	%edx, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L493:
	movl	%ecx, %edi
	addl	$8, %ecx
	movq	(%r9,%rdi), %r10
	movq	%r10, (%r8,%rdi)
	cmpl	%r11d, %ecx
	jb	.L493
	leaq	(%r8,%rcx), %r10
	addq	%r9, %rcx
	jmp	.L492
	.cfi_endproc
.LFE6768:
	.size	_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl, .-_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl
	.set	_ZN10torchpaged12_GLOBAL__N_111PanelFinishC1ERKNS_12LinearParamsEl,_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_112quantise_rowEPKcNS_5DTypeEPcS3_fl, @function
_ZN10torchpaged12_GLOBAL__N_112quantise_rowEPKcNS_5DTypeEPcS3_fl:
.LFB6737:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdx, %rax
	movl	%ecx, %r9d
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$8, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	cmpl	$1, %esi
	je	.L556
	cmpl	$2, %esi
	je	.L557
	testq	%r8, %r8
	jle	.L838
	movl	$2147483647, %esi
	leaq	-1(%r8), %r10
	movq	%rdi, %rdx
	xorl	%ecx, %ecx
	vpbroadcastd	%esi, %xmm6
	movl	$1, %esi
	andq	$-16, %r10
	vmovdqa	.LC68(%rip), %xmm4
	vpbroadcastd	%esi, %xmm3
	movl	$-938475521, %esi
	vbroadcastss	%xmm0, %zmm5
	addq	$16, %r10
	leaq	-56(%rsp), %r11
	vpbroadcastd	%esi, %xmm7
	jmp	.L707
	.p2align 4,,10
	.p2align 3
.L701:
	vmovdqa	%xmm1, %xmm0
	vextracti32x4	$1, %zmm1, %xmm18
	vextracti32x4	$2, %zmm1, %xmm2
	vbroadcastss	.LC76(%rip), %xmm8
	vpandd	%xmm0, %xmm6, %xmm16
	vextracti32x4	$3, %zmm1, %xmm17
	vpandd	%xmm18, %xmm6, %xmm13
	vbroadcastss	.LC74(%rip), %xmm1
	vpand	%xmm2, %xmm6, %xmm12
	vpandd	%xmm17, %xmm6, %xmm11
	vpaddd	%xmm7, %xmm16, %xmm9
	vbroadcastss	.LC81(%rip), %xmm15
	vcmpps	$10, %xmm1, %xmm2, %k6
	vcmpps	$10, %xmm1, %xmm0, %k5
	vpaddd	%xmm7, %xmm11, %xmm10
	vcmpps	$10, %xmm1, %xmm18, %k7
	vcmpps	$10, %xmm1, %xmm17, %k1
	vaddps	%xmm12, %xmm15, %xmm26
	vpsrld	$21, %xmm16, %xmm25
	vpsrld	$21, %xmm13, %xmm24
	vcmpps	$1, %xmm8, %xmm2, %k3{%k6}
	vcmpps	$1, %xmm8, %xmm0, %k2{%k5}
	vpandd	%xmm3, %xmm25, %xmm25
	vcmpps	$5, %xmm8, %xmm0, %k5{%k5}
	vcmpps	$1, %xmm8, %xmm18, %k4{%k7}
	vpaddd	%xmm9, %xmm25, %xmm25
	vcmpps	$5, %xmm8, %xmm18, %k7{%k7}
	vcmpps	$5, %xmm8, %xmm2, %k6{%k6}
	vpaddd	%xmm7, %xmm13, %xmm9
	kmovb	%k3, %r15d
	vpsrld	$21, %xmm12, %xmm23
	vpandd	%xmm3, %xmm24, %xmm24
	vcmpps	$1, %xmm8, %xmm17, %k3{%k1}
	vcmpps	$5, %xmm8, %xmm17, %k1{%k1}
	vbroadcastss	.LC78(%rip), %xmm8
	vpaddd	%xmm9, %xmm24, %xmm24
	vpsrld	$21, %xmm25, %xmm25
	vpsrld	$21, %xmm24, %xmm24
	vpaddd	%xmm7, %xmm12, %xmm9
	vcmpps	$1, %xmm8, %xmm16, %k0{%k5}
	vcmpps	$5, %xmm8, %xmm16, %k5{%k5}
	vpandd	%xmm3, %xmm23, %xmm23
	vpaddd	%xmm9, %xmm23, %xmm23
	vpsrld	$21, %xmm11, %xmm9
	vmovdqa32	%xmm3, %xmm22{%k4}{z}
	vpand	%xmm3, %xmm9, %xmm9
	vpsrld	$21, %xmm23, %xmm23
	vmovdqa32	%xmm24, %xmm14
	kmovb	%k0, %r14d
	vcmpps	$1, %xmm8, %xmm13, %k0{%k7}
	vcmpps	$5, %xmm8, %xmm13, %k7{%k7}
	vpaddd	%xmm10, %xmm9, %xmm9
	vaddps	%xmm16, %xmm15, %xmm10
	kmovb	%k5, -57(%rsp)
	kmovb	%r14d, %k5
	vpsrld	$21, %xmm9, %xmm9
	vmovdqa32	%xmm3, %xmm21{%k3}{z}
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm8, %xmm12, %k0{%k6}
	vcmpps	$5, %xmm8, %xmm12, %k6{%k6}
	kmovb	%k0, %r12d
	vcmpps	$1, %xmm8, %xmm11, %k0{%k1}
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm8, %xmm11, %k0{%k1}
	kmovb	%r15d, %k1
	vmovdqa32	%xmm3, %xmm20{%k1}{z}
	vcmpps	$14, %xmm1, %xmm0, %k1
	vmovdqa32	%xmm3, %xmm8{%k2}{z}
	vpermt2w	%xmm22, %xmm4, %xmm8
	vpsrld	$24, %xmm0, %xmm0
	kmovb	%k0, -58(%rsp)
	kmovb	%r15d, %k0
	movl	$-1124073472, %r15d
	korb	%k2, %k1, %k2
	vcmpps	$14, %xmm1, %xmm18, %k1
	vpbroadcastd	%r15d, %xmm19
	vpsrld	$24, %xmm18, %xmm18
	vpermt2w	%xmm18, %xmm4, %xmm0
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm1, %xmm2, %k1
	vpsrld	$24, %xmm2, %xmm2
	korb	%k0, %k1, %k1
	vcmpps	$14, %xmm1, %xmm17, %k0
	vpsrld	$24, %xmm17, %xmm17
	vmovdqa32	%xmm25, %xmm1
	vpaddd	%xmm19, %xmm10, %xmm1{%k5}
	vaddps	%xmm13, %xmm15, %xmm10
	kmovb	%r13d, %k5
	vpermt2w	%xmm17, %xmm4, %xmm2
	vaddps	%xmm11, %xmm15, %xmm15
	korb	%k3, %k0, %k3
	vpaddd	%xmm19, %xmm10, %xmm14{%k5}
	vmovdqa32	%xmm23, %xmm10
	kmovb	%r12d, %k5
	vpaddd	%xmm19, %xmm26, %xmm10{%k5}
	vmovdqa32	%xmm9, %xmm26
	kmovb	%ebx, %k5
	vmovdqa32	%xmm24, %xmm14{%k7}
	vpaddd	%xmm19, %xmm15, %xmm26{%k5}
	movl	$123, %ebx
	vmovdqa32	%xmm23, %xmm10{%k6}
	kmovb	-57(%rsp), %k5
	kmovb	-58(%rsp), %k6
	vmovdqa32	%xmm25, %xmm1{%k5}
	vpblendmd	%xmm9, %xmm26, %xmm15{%k6}
	vpbroadcastd	%ebx, %xmm14{%k4}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vpbroadcastd	%ebx, %xmm10{%k1}
	vpbroadcastd	%ebx, %xmm15{%k3}
	movl	$1197473792, %ebx
	vpbroadcastd	%ebx, %xmm16{%k2}
	vpbroadcastd	%ebx, %xmm13{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm12{%k1}
	vpbroadcastd	%ebx, %xmm11{%k3}
	movl	$15, %ebx
	vmovdqa64	%xmm20, %xmm19
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	movl	$255, %ebx
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastw	%ebx, %xmm9
	vpermt2w	%xmm21, %xmm4, %xmm19
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpand	%xmm8, %xmm9, %xmm8
	vpandq	%xmm19, %xmm9, %xmm19
	vpand	%xmm2, %xmm9, %xmm2
	movl	$-128, %ebx
	vpackuswb	%xmm19, %xmm8, %xmm8
	vpand	%xmm0, %xmm9, %xmm0
	vpbroadcastb	%ebx, %xmm19
	kunpckbw	%k2, %k1, %k1
	vpackuswb	%xmm2, %xmm0, %xmm0
	vpsllw	$7, %xmm8, %xmm8
	movl	$2139095040, %ebx
	vpandq	%xmm8, %xmm19, %xmm8
	vpandq	%xmm19, %xmm0, %xmm0
	vmovdqu8	%xmm8, %xmm0{%k1}
	vpbroadcastd	%ebx, %xmm8
	movl	$127, %ebx
	vpcmpud	$2, %xmm8, %xmm16, %k1
	vpbroadcastd	%ebx, %xmm2
	vpblendmd	%xmm1, %xmm2, %xmm1{%k1}
	vpcmpud	$2, %xmm8, %xmm13, %k1
	vpblendmd	%xmm14, %xmm2, %xmm14{%k1}
	vpcmpud	$2, %xmm8, %xmm12, %k1
	vpermt2w	%xmm14, %xmm4, %xmm1
	vpand	%xmm1, %xmm9, %xmm1
	vpblendmd	%xmm10, %xmm2, %xmm10{%k1}
	vpcmpud	$2, %xmm8, %xmm11, %k1
	vmovdqa32	%xmm15, %xmm2{%k1}
	vpermt2w	%xmm2, %xmm4, %xmm10
	vpand	%xmm10, %xmm9, %xmm9
	vpackuswb	%xmm9, %xmm1, %xmm1
	vpor	%xmm0, %xmm1, %xmm0
.L702:
	vmovdqa	%xmm0, -56(%rsp)
.L700:
	leaq	-1(%rsi), %rbx
	cmpq	$16, %rsi
	jne	.L703
	vmovdqa	-56(%rsp), %xmm2
	vmovdqu8	%xmm2, (%rax,%rcx)
.L704:
	addq	$16, %rcx
	addq	$64, %rdx
	cmpq	%r10, %rcx
	je	.L840
.L707:
	movq	%r8, %rdi
	movl	$16, %esi
	subq	%rcx, %rdi
	cmpq	%rsi, %rdi
	cmovle	%rdi, %rsi
	cmpq	$15, %rdi
	jle	.L659
	vmovups	(%rdx), %zmm1
	vdivps	%zmm5, %zmm1, %zmm1
	cmpl	$5, %r9d
	je	.L841
.L667:
	cmpl	$3, %r9d
	jne	.L701
	vbroadcastss	.LC55(%rip), %xmm11
	vextracti32x4	$2, %zmm1, %xmm8
	vbroadcastss	.LC57(%rip), %xmm0
	vmovdqa	%xmm1, %xmm2
	vpandd	%xmm2, %xmm6, %xmm17
	vpand	%xmm8, %xmm6, %xmm13
	vextracti32x4	$1, %zmm1, %xmm18
	movl	$-1006108673, %r15d
	vcmpps	$10, %xmm11, %xmm8, %k6
	vextracti32x4	$3, %zmm1, %xmm1
	vpandd	%xmm18, %xmm6, %xmm14
	vbroadcastss	.LC64(%rip), %xmm16
	vcmpps	$10, %xmm11, %xmm2, %k5
	vcmpps	$10, %xmm11, %xmm18, %k7
	vpand	%xmm1, %xmm6, %xmm12
	vcmpps	$10, %xmm11, %xmm1, %k1
	vpbroadcastd	%r15d, %xmm9
	movl	$-1182793728, %r15d
	vcmpps	$1, %xmm0, %xmm8, %k3{%k6}
	vcmpps	$5, %xmm0, %xmm8, %k6{%k6}
	vpaddd	%xmm9, %xmm17, %xmm10
	vcmpps	$1, %xmm0, %xmm2, %k2{%k5}
	vcmpps	$5, %xmm0, %xmm2, %k5{%k5}
	vpbroadcastd	%r15d, %xmm19
	vcmpps	$1, %xmm0, %xmm18, %k4{%k7}
	vcmpps	$5, %xmm0, %xmm18, %k7{%k7}
	vaddps	%xmm13, %xmm16, %xmm26
	kmovb	%k3, -57(%rsp)
	vcmpps	$1, %xmm0, %xmm1, %k3{%k1}
	vcmpps	$5, %xmm0, %xmm1, %k1{%k1}
	vbroadcastss	.LC60(%rip), %xmm0
	vpsrld	$20, %xmm17, %xmm25
	vpsrld	$20, %xmm14, %xmm24
	vcmpps	$1, %xmm0, %xmm17, %k0{%k5}
	vpandd	%xmm3, %xmm25, %xmm25
	vpandd	%xmm3, %xmm24, %xmm24
	vpaddd	%xmm10, %xmm25, %xmm25
	vpsrld	$20, %xmm13, %xmm23
	vpaddd	%xmm9, %xmm14, %xmm10
	vpaddd	%xmm10, %xmm24, %xmm24
	vpandd	%xmm3, %xmm23, %xmm23
	vpaddd	%xmm9, %xmm13, %xmm10
	kmovb	%k0, %r14d
	vcmpps	$1, %xmm0, %xmm14, %k0{%k7}
	vpaddd	%xmm10, %xmm23, %xmm23
	vpaddd	%xmm9, %xmm12, %xmm9
	vpsrld	$20, %xmm12, %xmm10
	vpsrld	$20, %xmm25, %xmm25
	vmovdqa32	%xmm3, %xmm22{%k4}{z}
	vpand	%xmm3, %xmm10, %xmm10
	vpsrld	$20, %xmm24, %xmm24
	vmovdqa32	%xmm3, %xmm21{%k3}{z}
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm0, %xmm13, %k0{%k6}
	vpaddd	%xmm9, %xmm10, %xmm10
	vmovdqa32	%xmm3, %xmm9{%k2}{z}
	vcmpps	$5, %xmm0, %xmm17, %k5{%k5}
	vpsrld	$20, %xmm23, %xmm23
	vmovdqa32	%xmm24, %xmm15
	vcmpps	$5, %xmm0, %xmm13, %k6{%k6}
	vcmpps	$5, %xmm0, %xmm14, %k7{%k7}
	vpermt2w	%xmm22, %xmm4, %xmm9
	kmovb	%k0, %r12d
	vcmpps	$1, %xmm0, %xmm12, %k0{%k1}
	vpsrld	$20, %xmm10, %xmm10
	kmovb	%k5, -58(%rsp)
	kmovb	-57(%rsp), %k5
	vmovdqa32	%xmm3, %xmm20{%k5}{z}
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm0, %xmm12, %k0{%k1}
	vcmpps	$14, %xmm11, %xmm2, %k1
	vmovdqa32	%xmm25, %xmm0
	vpsrld	$24, %xmm2, %xmm2
	korb	%k2, %k1, %k2
	vcmpps	$14, %xmm11, %xmm18, %k1
	kmovb	%k0, -59(%rsp)
	vcmpps	$14, %xmm11, %xmm1, %k0
	vpsrld	$24, %xmm18, %xmm18
	vpsrld	$24, %xmm1, %xmm1
	vpermt2w	%xmm18, %xmm4, %xmm2
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm11, %xmm8, %k1
	korb	%k3, %k0, %k3
	vaddps	%xmm17, %xmm16, %xmm11
	vpsrld	$24, %xmm8, %xmm8
	vpermt2w	%xmm1, %xmm4, %xmm8
	korb	%k5, %k1, %k1
	kmovb	%r14d, %k5
	vpaddd	%xmm19, %xmm11, %xmm0{%k5}
	vaddps	%xmm14, %xmm16, %xmm11
	vaddps	%xmm12, %xmm16, %xmm16
	kmovb	%r13d, %k5
	vpaddd	%xmm19, %xmm11, %xmm15{%k5}
	vmovdqa32	%xmm23, %xmm11
	kmovb	%r12d, %k5
	vpaddd	%xmm19, %xmm26, %xmm11{%k5}
	vmovdqa32	%xmm10, %xmm26
	kmovb	%ebx, %k5
	vmovdqa32	%xmm24, %xmm15{%k7}
	vpaddd	%xmm19, %xmm16, %xmm26{%k5}
	movl	$126, %ebx
	vmovdqa32	%xmm23, %xmm11{%k6}
	kmovb	-58(%rsp), %k5
	kmovb	-59(%rsp), %k6
	vmovdqa32	%xmm25, %xmm0{%k5}
	vpblendmd	%xmm10, %xmm26, %xmm16{%k6}
	vpbroadcastd	%ebx, %xmm15{%k4}
	vpbroadcastd	%ebx, %xmm0{%k2}
	vpbroadcastd	%ebx, %xmm11{%k1}
	vpbroadcastd	%ebx, %xmm16{%k3}
	movl	$1138753536, %ebx
	vpbroadcastd	%ebx, %xmm17{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm13{%k1}
	vpbroadcastd	%ebx, %xmm12{%k3}
	movl	$15, %ebx
	vmovdqa64	%xmm20, %xmm19
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	movl	$255, %ebx
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastw	%ebx, %xmm10
	vpermt2w	%xmm21, %xmm4, %xmm19
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpandq	%xmm19, %xmm10, %xmm19
	vpand	%xmm9, %xmm10, %xmm9
	vpand	%xmm2, %xmm10, %xmm1
	movl	$-128, %ebx
	vpand	%xmm8, %xmm10, %xmm2
	vpackuswb	%xmm19, %xmm9, %xmm9
	vpbroadcastb	%ebx, %xmm19
	kunpckbw	%k2, %k1, %k1
	vpackuswb	%xmm2, %xmm1, %xmm1
	vpsllw	$7, %xmm9, %xmm9
	movl	$2139095040, %ebx
	vpbroadcastd	%ebx, %xmm8
	vpandq	%xmm9, %xmm19, %xmm9
	movl	$127, %ebx
	vpandq	%xmm19, %xmm1, %xmm1
	vpbroadcastd	%ebx, %xmm2
	vmovdqu8	%xmm9, %xmm1{%k1}
	vpcmpud	$2, %xmm8, %xmm17, %k1
	vpblendmd	%xmm0, %xmm2, %xmm0{%k1}
	vpcmpud	$2, %xmm8, %xmm14, %k1
	vpblendmd	%xmm15, %xmm2, %xmm15{%k1}
	vpcmpud	$2, %xmm8, %xmm13, %k1
	vpermt2w	%xmm15, %xmm4, %xmm0
	vpand	%xmm0, %xmm10, %xmm0
	vpblendmd	%xmm11, %xmm2, %xmm11{%k1}
	vpcmpud	$2, %xmm8, %xmm12, %k1
	vmovdqa32	%xmm16, %xmm2{%k1}
	vpermt2w	%xmm2, %xmm4, %xmm11
	vpand	%xmm11, %xmm10, %xmm10
	vpackuswb	%xmm10, %xmm0, %xmm0
	vpor	%xmm1, %xmm0, %xmm0
	jmp	.L702
	.p2align 4,,10
	.p2align 3
.L840:
	vzeroupper
.L838:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L703:
	.cfi_restore_state
	cmpq	$6, %rbx
	jbe	.L758
	movq	-56(%rsp), %rbx
	movq	%rbx, (%rax,%rcx)
	cmpq	$8, %rdi
	je	.L704
	movl	$8, %edi
.L705:
	movzbl	-56(%rsp,%rdi), %r12d
	leaq	(%rax,%rdi), %rbx
	movb	%r12b, (%rbx,%rcx)
	leaq	1(%rdi), %rbx
	cmpq	%rbx, %rsi
	jle	.L704
	leaq	(%rax,%rbx), %r12
	movzbl	-55(%rsp,%rdi), %ebx
	movb	%bl, (%r12,%rcx)
	leaq	2(%rdi), %rbx
	cmpq	%rbx, %rsi
	jle	.L704
	movzbl	-54(%rsp,%rdi), %r13d
	leaq	(%rax,%rcx), %r12
	leaq	3(%rdi), %rbx
	movb	%r13b, 2(%rdi,%r12)
	cmpq	%rbx, %rsi
	jle	.L704
	leaq	(%rax,%rbx), %r13
	movzbl	-53(%rsp,%rdi), %ebx
	movb	%bl, 0(%r13,%rcx)
	leaq	4(%rdi), %rbx
	cmpq	%rbx, %rsi
	jle	.L704
	leaq	(%rax,%rbx), %r13
	movzbl	-52(%rsp,%rdi), %ebx
	movb	%bl, 0(%r13,%rcx)
	leaq	5(%rdi), %rbx
	cmpq	%rbx, %rsi
	jle	.L704
	movzbl	-51(%rsp,%rdi), %r13d
	addq	$6, %rdi
	movb	%r13b, -1(%rdi,%r12)
	cmpq	%rdi, %rsi
	jle	.L704
	movzbl	-56(%rsp,%rdi), %esi
	movb	%sil, (%r12,%rdi)
	jmp	.L704
	.p2align 4,,10
	.p2align 3
.L659:
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	0(,%rsi,4), %r13
	movq	%r11, %r12
	movq	%rdx, %rbx
	vmovdqa64	%zmm0, -56(%rsp)
	cmpl	$8, %r13d
	jnb	.L842
.L661:
	andl	$4, %r13d
	je	.L666
	movl	(%rbx), %ebx
	movl	%ebx, (%r12)
.L666:
	vmovaps	-56(%rsp), %zmm1
	vdivps	%zmm5, %zmm1, %zmm1
	cmpl	$5, %r9d
	jne	.L667
.L841:
	vbroadcastss	.LC51(%rip), %zmm2
	movl	$0, %ebx
	vmaxps	%zmm1, %zmm2, %zmm0
	vbroadcastss	.LC53(%rip), %zmm1
	vrndscaleps	$8, %zmm0, %zmm0
	vxorps	%zmm1, %zmm0, %zmm0
	vmaxps	%zmm0, %zmm2, %zmm0
	vxorps	%zmm1, %zmm0, %zmm0
	vshufps	$85, %xmm0, %xmm0, %xmm8
	vshufps	$255, %xmm0, %xmm0, %xmm2
	vcvttss2sil	%xmm0, %r12d
	vucomiss	%xmm0, %xmm0
	valignd	$7, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm8, %xmm8
	movb	%r12b, -56(%rsp)
	vcvttss2sil	%xmm8, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm8
	cmovp	%ebx, %r12d
	vucomiss	%xmm8, %xmm8
	movb	%r12b, -55(%rsp)
	vcvttss2sil	%xmm8, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -54(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vextractf32x4	$1, %ymm0, %xmm2
	cmovp	%ebx, %r12d
	movb	%r12b, -53(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm2
	cmovp	%ebx, %r12d
	movb	%r12b, -52(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm2
	vextractf32x8	$0x1, %zmm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -51(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vucomiss	%xmm2, %xmm2
	vshufps	$85, %xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -50(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vshufps	$255, %xmm0, %xmm0, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -49(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -48(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -47(%rsp)
	vcvttss2sil	%xmm2, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -46(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vextractf32x4	$1, %ymm0, %xmm1
	cmovp	%ebx, %r12d
	movb	%r12b, -45(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	movb	%r12b, -44(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm1
	valignd	$7, %ymm0, %ymm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -43(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vucomiss	%xmm1, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -42(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovnp	%r12d, %ebx
	movb	%bl, -41(%rsp)
	jmp	.L700
	.p2align 4,,10
	.p2align 3
.L556:
	testq	%r8, %r8
	jle	.L838
	movl	$2147483647, %ecx
	leaq	-1(%r8), %r10
	movq	%rdi, %rdx
	vmovdqa	.LC68(%rip), %xmm4
	andq	$-16, %r10
	vpbroadcastd	%ecx, %xmm5
	movl	$-938475521, %ecx
	xorl	%edi, %edi
	vbroadcastss	%xmm0, %zmm6
	addq	$16, %r10
	leaq	-56(%rsp), %r11
	vpbroadcastd	%esi, %xmm3
	vpbroadcastd	%ecx, %xmm7
	jmp	.L608
	.p2align 4,,10
	.p2align 3
.L602:
	vbroadcastss	.LC74(%rip), %xmm11
	vextracti32x4	$3, %zmm1, %xmm2
	vextracti32x4	$1, %zmm1, %xmm18
	vextracti32x4	$2, %zmm1, %xmm8
	vmovdqa	%xmm1, %xmm0
	vpandd	%xmm18, %xmm5, %xmm14
	vpand	%xmm8, %xmm5, %xmm13
	vbroadcastss	.LC78(%rip), %xmm9
	vcmpps	$10, %xmm11, %xmm1, %k2
	vcmpps	$10, %xmm11, %xmm18, %k1
	vbroadcastss	.LC76(%rip), %xmm1
	vpandd	%xmm0, %xmm5, %xmm17
	vcmpps	$10, %xmm11, %xmm8, %k6
	vcmpps	$10, %xmm11, %xmm2, %k5
	vpand	%xmm2, %xmm5, %xmm12
	vbroadcastss	.LC81(%rip), %xmm16
	vpsrld	$21, %xmm17, %xmm25
	vpsrld	$21, %xmm14, %xmm24
	vcmpps	$1, %xmm1, %xmm0, %k7{%k2}
	vcmpps	$5, %xmm1, %xmm0, %k2{%k2}
	vpandd	%xmm3, %xmm25, %xmm25
	vcmpps	$1, %xmm1, %xmm18, %k4{%k1}
	vcmpps	$5, %xmm1, %xmm18, %k1{%k1}
	vpandd	%xmm3, %xmm24, %xmm24
	vcmpps	$1, %xmm1, %xmm8, %k3{%k6}
	vcmpps	$5, %xmm1, %xmm8, %k6{%k6}
	vaddps	%xmm13, %xmm16, %xmm26
	vcmpps	$1, %xmm9, %xmm17, %k0{%k2}
	vpsrld	$21, %xmm13, %xmm23
	vpsrld	$21, %xmm12, %xmm10
	vmovdqa32	%xmm3, %xmm22{%k4}{z}
	vpandd	%xmm3, %xmm23, %xmm23
	kmovb	%k3, %r15d
	vcmpps	$1, %xmm1, %xmm2, %k3{%k5}
	vpand	%xmm3, %xmm10, %xmm10
	kmovb	%k0, %r14d
	vcmpps	$1, %xmm9, %xmm14, %k0{%k1}
	vcmpps	$5, %xmm1, %xmm2, %k5{%k5}
	vpaddd	%xmm7, %xmm17, %xmm1
	vpaddd	%xmm1, %xmm25, %xmm25
	vpaddd	%xmm7, %xmm14, %xmm1
	vpaddd	%xmm1, %xmm24, %xmm24
	vpaddd	%xmm7, %xmm13, %xmm1
	vpsrld	$21, %xmm25, %xmm25
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm9, %xmm13, %k0{%k6}
	vpaddd	%xmm1, %xmm23, %xmm23
	vpaddd	%xmm7, %xmm12, %xmm1
	vpsrld	$21, %xmm24, %xmm24
	vpsrld	$21, %xmm23, %xmm23
	vpaddd	%xmm1, %xmm10, %xmm10
	vcmpps	$5, %xmm9, %xmm13, %k6{%k6}
	vmovdqa32	%xmm25, %xmm1
	vmovdqa32	%xmm24, %xmm15
	kmovb	%k0, %r12d
	vpsrld	$21, %xmm10, %xmm10
	vmovdqa32	%xmm3, %xmm21{%k3}{z}
	vcmpps	$1, %xmm9, %xmm12, %k0{%k5}
	vcmpps	$5, %xmm9, %xmm12, %k5{%k5}
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm9, %xmm17, %k0{%k2}
	vcmpps	$5, %xmm9, %xmm14, %k2{%k1}
	vmovdqa32	%xmm3, %xmm9{%k7}{z}
	vcmpps	$14, %xmm11, %xmm18, %k1
	vpsrld	$24, %xmm18, %xmm18
	vpermt2w	%xmm22, %xmm4, %xmm9
	kmovb	%k2, -58(%rsp)
	kmovb	%r15d, %k2
	vmovdqa32	%xmm3, %xmm20{%k2}{z}
	vcmpps	$14, %xmm11, %xmm0, %k2
	korb	%k4, %k1, %k4
	kmovb	%k0, -57(%rsp)
	vcmpps	$14, %xmm11, %xmm8, %k1
	vcmpps	$14, %xmm11, %xmm2, %k0
	vaddps	%xmm17, %xmm16, %xmm11
	vpsrld	$24, %xmm8, %xmm8
	korb	%k7, %k2, %k2
	kmovb	%r15d, %k7
	movl	$-1124073472, %r15d
	vpsrld	$24, %xmm0, %xmm0
	vpbroadcastd	%r15d, %xmm19
	korb	%k7, %k1, %k1
	kmovb	%r14d, %k7
	korb	%k3, %k0, %k3
	vpaddd	%xmm19, %xmm11, %xmm1{%k7}
	vaddps	%xmm14, %xmm16, %xmm11
	kmovb	%r13d, %k7
	vpermt2w	%xmm18, %xmm4, %xmm0
	vaddps	%xmm12, %xmm16, %xmm16
	vpsrld	$24, %xmm2, %xmm18
	vmovdqa	%xmm8, %xmm2
	vpermt2w	%xmm18, %xmm4, %xmm2
	vpaddd	%xmm19, %xmm11, %xmm15{%k7}
	vmovdqa32	%xmm23, %xmm11
	kmovb	%r12d, %k7
	vpaddd	%xmm19, %xmm26, %xmm11{%k7}
	vmovdqa32	%xmm10, %xmm26
	kmovb	%ebx, %k7
	movl	$123, %ebx
	vpaddd	%xmm19, %xmm16, %xmm26{%k7}
	vmovdqa32	%xmm23, %xmm11{%k6}
	kmovb	-57(%rsp), %k7
	vmovdqa32	%xmm25, %xmm1{%k7}
	vpblendmd	%xmm10, %xmm26, %xmm16{%k5}
	kmovb	-58(%rsp), %k7
	vmovdqa32	%xmm24, %xmm15{%k7}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vpbroadcastd	%ebx, %xmm15{%k4}
	vpbroadcastd	%ebx, %xmm11{%k1}
	vpbroadcastd	%ebx, %xmm16{%k3}
	movl	$1197473792, %ebx
	vpbroadcastd	%ebx, %xmm17{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm13{%k1}
	vpbroadcastd	%ebx, %xmm12{%k3}
	movl	$15, %ebx
	vmovdqa64	%xmm20, %xmm19
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	movl	$255, %ebx
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastw	%ebx, %xmm10
	vpermt2w	%xmm21, %xmm4, %xmm19
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpand	%xmm9, %xmm10, %xmm9
	vpandq	%xmm19, %xmm10, %xmm19
	vpand	%xmm2, %xmm10, %xmm2
	movl	$-128, %ebx
	vpackuswb	%xmm19, %xmm9, %xmm9
	vpand	%xmm0, %xmm10, %xmm0
	vpbroadcastb	%ebx, %xmm19
	kunpckbw	%k2, %k1, %k1
	vpackuswb	%xmm2, %xmm0, %xmm0
	vpsllw	$7, %xmm9, %xmm9
	movl	$2139095040, %ebx
	vpbroadcastd	%ebx, %xmm8
	vpandq	%xmm9, %xmm19, %xmm9
	movl	$127, %ebx
	vpandq	%xmm19, %xmm0, %xmm0
	vpbroadcastd	%ebx, %xmm2
	vmovdqu8	%xmm9, %xmm0{%k1}
	vpcmpud	$2, %xmm8, %xmm17, %k1
	vpblendmd	%xmm1, %xmm2, %xmm1{%k1}
	vpcmpud	$2, %xmm8, %xmm14, %k1
	vpblendmd	%xmm15, %xmm2, %xmm15{%k1}
	vpcmpud	$2, %xmm8, %xmm13, %k1
	vpermt2w	%xmm15, %xmm4, %xmm1
	vpand	%xmm1, %xmm10, %xmm1
	vpblendmd	%xmm11, %xmm2, %xmm11{%k1}
	vpcmpud	$2, %xmm8, %xmm12, %k1
	vmovdqa32	%xmm16, %xmm2{%k1}
	vpermt2w	%xmm2, %xmm4, %xmm11
	vpand	%xmm11, %xmm10, %xmm10
	vpackuswb	%xmm10, %xmm1, %xmm1
	vpor	%xmm0, %xmm1, %xmm0
.L603:
	vmovdqa	%xmm0, -56(%rsp)
.L601:
	leaq	-1(%rcx), %rbx
	cmpq	$16, %rcx
	jne	.L604
	vmovdqa	-56(%rsp), %xmm2
	vmovdqu8	%xmm2, (%rax,%rdi)
.L605:
	addq	$16, %rdi
	addq	$32, %rdx
	cmpq	%r10, %rdi
	je	.L840
.L608:
	movq	%r8, %rsi
	movl	$16, %ecx
	subq	%rdi, %rsi
	cmpq	%rcx, %rsi
	cmovle	%rsi, %rcx
	cmpq	$15, %rsi
	jle	.L560
	vcvtph2ps	(%rdx), %zmm1
	vdivps	%zmm6, %zmm1, %zmm1
	cmpl	$5, %r9d
	je	.L843
.L568:
	cmpl	$3, %r9d
	jne	.L602
	vbroadcastss	.LC55(%rip), %xmm11
	vextracti32x4	$2, %zmm1, %xmm8
	movl	$-1006108673, %ebx
	vbroadcastss	.LC57(%rip), %xmm0
	vmovdqa	%xmm1, %xmm2
	vpand	%xmm8, %xmm5, %xmm13
	vextracti32x4	$1, %zmm1, %xmm18
	vbroadcastss	.LC64(%rip), %xmm16
	vcmpps	$10, %xmm11, %xmm8, %k6
	vextracti32x4	$3, %zmm1, %xmm1
	vpandd	%xmm2, %xmm5, %xmm17
	vpandd	%xmm18, %xmm5, %xmm14
	vpand	%xmm1, %xmm5, %xmm12
	vpbroadcastd	%ebx, %xmm9
	vcmpps	$10, %xmm11, %xmm2, %k5
	vpsrld	$20, %xmm17, %xmm25
	vpaddd	%xmm9, %xmm17, %xmm10
	vcmpps	$1, %xmm0, %xmm8, %k3{%k6}
	vcmpps	$10, %xmm11, %xmm18, %k7
	vpandd	%xmm3, %xmm25, %xmm25
	vcmpps	$10, %xmm11, %xmm1, %k1
	vcmpps	$5, %xmm0, %xmm8, %k6{%k6}
	vpaddd	%xmm10, %xmm25, %xmm25
	vcmpps	$1, %xmm0, %xmm2, %k2{%k5}
	vcmpps	$5, %xmm0, %xmm2, %k5{%k5}
	vpaddd	%xmm9, %xmm14, %xmm10
	vcmpps	$1, %xmm0, %xmm18, %k4{%k7}
	kmovb	%k3, %r15d
	vcmpps	$5, %xmm0, %xmm18, %k7{%k7}
	vaddps	%xmm13, %xmm16, %xmm26
	vcmpps	$1, %xmm0, %xmm1, %k3{%k1}
	vcmpps	$5, %xmm0, %xmm1, %k1{%k1}
	vbroadcastss	.LC60(%rip), %xmm0
	vpsrld	$20, %xmm14, %xmm24
	vpsrld	$20, %xmm13, %xmm23
	vcmpps	$1, %xmm0, %xmm17, %k0{%k5}
	vpandd	%xmm3, %xmm24, %xmm24
	vpandd	%xmm3, %xmm23, %xmm23
	vpaddd	%xmm10, %xmm24, %xmm24
	vpaddd	%xmm9, %xmm13, %xmm10
	vmovdqa32	%xmm3, %xmm22{%k4}{z}
	vpsrld	$20, %xmm25, %xmm25
	vpsrld	$20, %xmm24, %xmm24
	vpaddd	%xmm10, %xmm23, %xmm23
	kmovb	%k0, %r14d
	vpsrld	$20, %xmm12, %xmm10
	vpaddd	%xmm9, %xmm12, %xmm9
	vmovdqa32	%xmm24, %xmm15
	vcmpps	$1, %xmm0, %xmm14, %k0{%k7}
	vpand	%xmm3, %xmm10, %xmm10
	vmovdqa32	%xmm3, %xmm21{%k3}{z}
	vpaddd	%xmm9, %xmm10, %xmm10
	vpsrld	$20, %xmm23, %xmm23
	vmovdqa32	%xmm3, %xmm9{%k2}{z}
	vcmpps	$5, %xmm0, %xmm14, %k7{%k7}
	vpsrld	$20, %xmm10, %xmm10
	vpermt2w	%xmm22, %xmm4, %xmm9
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm0, %xmm13, %k0{%k6}
	vcmpps	$5, %xmm0, %xmm13, %k6{%k6}
	kmovb	%k0, %r12d
	vcmpps	$1, %xmm0, %xmm12, %k0{%k1}
	kmovb	%k0, -57(%rsp)
	vcmpps	$5, %xmm0, %xmm17, %k0{%k5}
	vcmpps	$5, %xmm0, %xmm12, %k5{%k1}
	kmovb	%r15d, %k1
	vmovdqa32	%xmm3, %xmm20{%k1}{z}
	vcmpps	$14, %xmm11, %xmm2, %k1
	vmovdqa32	%xmm25, %xmm0
	vpsrld	$24, %xmm2, %xmm2
	kmovb	%k0, %ebx
	kmovb	%r15d, %k0
	movl	$-1182793728, %r15d
	kmovb	%k5, -58(%rsp)
	korb	%k2, %k1, %k2
	vcmpps	$14, %xmm11, %xmm18, %k1
	vpbroadcastd	%r15d, %xmm19
	kmovb	%r14d, %k5
	vpsrld	$24, %xmm18, %xmm18
	vpermt2w	%xmm18, %xmm4, %xmm2
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm11, %xmm8, %k1
	vpsrld	$24, %xmm8, %xmm8
	korb	%k0, %k1, %k1
	vcmpps	$14, %xmm11, %xmm1, %k0
	vpsrld	$24, %xmm1, %xmm1
	vaddps	%xmm17, %xmm16, %xmm11
	vpermt2w	%xmm1, %xmm4, %xmm8
	vpaddd	%xmm19, %xmm11, %xmm0{%k5}
	vaddps	%xmm14, %xmm16, %xmm11
	kmovb	%r13d, %k5
	korb	%k3, %k0, %k3
	vaddps	%xmm12, %xmm16, %xmm16
	vpaddd	%xmm19, %xmm11, %xmm15{%k5}
	vmovdqa32	%xmm23, %xmm11
	kmovb	%r12d, %k5
	vpaddd	%xmm19, %xmm26, %xmm11{%k5}
	vmovdqa32	%xmm10, %xmm26
	kmovb	-57(%rsp), %k5
	vmovdqa32	%xmm24, %xmm15{%k7}
	vpaddd	%xmm19, %xmm16, %xmm26{%k5}
	vmovdqa32	%xmm23, %xmm11{%k6}
	kmovb	%ebx, %k5
	kmovb	-58(%rsp), %k6
	movl	$126, %ebx
	vpblendmd	%xmm10, %xmm26, %xmm16{%k6}
	vmovdqa32	%xmm25, %xmm0{%k5}
	vpbroadcastd	%ebx, %xmm0{%k2}
	vpbroadcastd	%ebx, %xmm15{%k4}
	vpbroadcastd	%ebx, %xmm11{%k1}
	vpbroadcastd	%ebx, %xmm16{%k3}
	movl	$1138753536, %ebx
	vmovdqa64	%xmm20, %xmm19
	vpbroadcastd	%ebx, %xmm17{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm13{%k1}
	vpbroadcastd	%ebx, %xmm12{%k3}
	movl	$15, %ebx
	vpermt2w	%xmm21, %xmm4, %xmm19
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	movl	$255, %ebx
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastw	%ebx, %xmm10
	movl	$-128, %ebx
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpandq	%xmm19, %xmm10, %xmm19
	vpand	%xmm9, %xmm10, %xmm9
	vpand	%xmm2, %xmm10, %xmm1
	kunpckbw	%k2, %k1, %k1
	vpand	%xmm8, %xmm10, %xmm2
	vpackuswb	%xmm19, %xmm9, %xmm9
	vpbroadcastb	%ebx, %xmm19
	movl	$2139095040, %ebx
	vpackuswb	%xmm2, %xmm1, %xmm1
	vpsllw	$7, %xmm9, %xmm9
	vpbroadcastd	%ebx, %xmm8
	movl	$127, %ebx
	vpandq	%xmm9, %xmm19, %xmm9
	vpandq	%xmm19, %xmm1, %xmm1
	vpbroadcastd	%ebx, %xmm2
	vmovdqu8	%xmm9, %xmm1{%k1}
	vpcmpud	$2, %xmm8, %xmm17, %k1
	vpblendmd	%xmm0, %xmm2, %xmm0{%k1}
	vpcmpud	$2, %xmm8, %xmm14, %k1
	vpblendmd	%xmm15, %xmm2, %xmm15{%k1}
	vpcmpud	$2, %xmm8, %xmm13, %k1
	vpermt2w	%xmm15, %xmm4, %xmm0
	vpand	%xmm0, %xmm10, %xmm0
	vpblendmd	%xmm11, %xmm2, %xmm11{%k1}
	vpcmpud	$2, %xmm8, %xmm12, %k1
	vmovdqa32	%xmm16, %xmm2{%k1}
	vpermt2w	%xmm2, %xmm4, %xmm11
	vpand	%xmm11, %xmm10, %xmm10
	vpackuswb	%xmm10, %xmm0, %xmm0
	vpor	%xmm1, %xmm0, %xmm0
	jmp	.L603
.L604:
	cmpq	$6, %rbx
	jbe	.L724
	movq	-56(%rsp), %rbx
	movq	%rbx, (%rax,%rdi)
	cmpq	$8, %rsi
	je	.L605
	movl	$8, %esi
.L606:
	movzbl	-56(%rsp,%rsi), %r12d
	leaq	(%rax,%rdi), %rbx
	movb	%r12b, (%rbx,%rsi)
	leaq	1(%rsi), %r12
	cmpq	%r12, %rcx
	jle	.L605
	movzbl	-55(%rsp,%rsi), %r13d
	leaq	2(%rsi), %r12
	movb	%r13b, 1(%rbx,%rsi)
	cmpq	%r12, %rcx
	jle	.L605
	movzbl	-54(%rsp,%rsi), %r13d
	leaq	3(%rsi), %r12
	movb	%r13b, 2(%rbx,%rsi)
	cmpq	%r12, %rcx
	jle	.L605
	movzbl	-53(%rsp,%rsi), %r13d
	leaq	4(%rsi), %r12
	movb	%r13b, 3(%rbx,%rsi)
	cmpq	%r12, %rcx
	jle	.L605
	movzbl	-52(%rsp,%rsi), %r13d
	leaq	5(%rsi), %r12
	movb	%r13b, 4(%rbx,%rsi)
	cmpq	%r12, %rcx
	jle	.L605
	movzbl	-51(%rsp,%rsi), %r13d
	movb	%r13b, 5(%rbx,%rsi)
	addq	$6, %rsi
	cmpq	%rsi, %rcx
	jle	.L605
	movzbl	-56(%rsp,%rsi), %ecx
	movb	%cl, (%rbx,%rsi)
	jmp	.L605
	.p2align 4,,10
	.p2align 3
.L560:
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	(%rcx,%rcx), %r12
	movq	%r11, %r14
	movq	%rdx, %rbx
	vmovdqa	%ymm0, -56(%rsp)
	cmpl	$8, %r12d
	jnb	.L844
.L562:
	xorl	%r13d, %r13d
	testb	$4, %r12b
	je	.L565
	movl	(%rbx), %r13d
	movl	%r13d, (%r14)
	movl	$4, %r13d
.L565:
	andl	$2, %r12d
	je	.L567
	movzwl	(%rbx,%r13), %ebx
	movw	%bx, (%r14,%r13)
.L567:
	vcvtph2ps	-56(%rsp), %zmm1
	vdivps	%zmm6, %zmm1, %zmm1
	cmpl	$5, %r9d
	jne	.L568
.L843:
	vbroadcastss	.LC51(%rip), %zmm2
	movl	$0, %ebx
	vmaxps	%zmm1, %zmm2, %zmm0
	vbroadcastss	.LC53(%rip), %zmm1
	vrndscaleps	$8, %zmm0, %zmm0
	vxorps	%zmm1, %zmm0, %zmm0
	vmaxps	%zmm0, %zmm2, %zmm0
	vxorps	%zmm1, %zmm0, %zmm0
	vshufps	$85, %xmm0, %xmm0, %xmm8
	vshufps	$255, %xmm0, %xmm0, %xmm2
	vcvttss2sil	%xmm0, %r12d
	vucomiss	%xmm0, %xmm0
	valignd	$7, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm8, %xmm8
	movb	%r12b, -56(%rsp)
	vcvttss2sil	%xmm8, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm8
	cmovp	%ebx, %r12d
	vucomiss	%xmm8, %xmm8
	movb	%r12b, -55(%rsp)
	vcvttss2sil	%xmm8, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -54(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vextractf32x4	$1, %ymm0, %xmm2
	cmovp	%ebx, %r12d
	movb	%r12b, -53(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm2
	cmovp	%ebx, %r12d
	movb	%r12b, -52(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm2
	vextractf32x8	$0x1, %zmm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -51(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vucomiss	%xmm2, %xmm2
	vshufps	$85, %xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -50(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vshufps	$255, %xmm0, %xmm0, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -49(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -48(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -47(%rsp)
	vcvttss2sil	%xmm2, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -46(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vextractf32x4	$1, %ymm0, %xmm1
	cmovp	%ebx, %r12d
	movb	%r12b, -45(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	movb	%r12b, -44(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm1
	valignd	$7, %ymm0, %ymm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -43(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vucomiss	%xmm1, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -42(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovnp	%r12d, %ebx
	movb	%bl, -41(%rsp)
	jmp	.L601
	.p2align 4,,10
	.p2align 3
.L557:
	testq	%r8, %r8
	jle	.L838
	movl	$2147483647, %ecx
	leaq	-1(%r8), %r10
	movq	%rdi, %rdx
	xorl	%esi, %esi
	vpbroadcastd	%ecx, %xmm4
	movl	$1, %ecx
	andq	$-16, %r10
	vmovdqa	.LC68(%rip), %xmm3
	vpbroadcastd	%ecx, %xmm2
	movl	$-938475521, %ecx
	vbroadcastss	%xmm0, %zmm5
	addq	$16, %r10
	leaq	-56(%rsp), %r11
	vpbroadcastd	%ecx, %xmm6
	jmp	.L658
	.p2align 4,,10
	.p2align 3
.L652:
	vbroadcastss	.LC74(%rip), %xmm1
	vextracti32x4	$2, %zmm0, %xmm7
	vbroadcastss	.LC76(%rip), %xmm8
	vmovdqa64	%xmm0, %xmm19
	vextracti32x4	$1, %zmm0, %xmm18
	vpandd	%xmm19, %xmm4, %xmm17
	vextracti32x4	$3, %zmm0, %xmm0
	vbroadcastss	.LC81(%rip), %xmm16
	vcmpps	$10, %xmm1, %xmm7, %k6
	vcmpps	$10, %xmm1, %xmm19, %k5
	vpandd	%xmm18, %xmm4, %xmm14
	vcmpps	$10, %xmm1, %xmm18, %k7
	vcmpps	$10, %xmm1, %xmm0, %k1
	vpand	%xmm7, %xmm4, %xmm13
	vpand	%xmm0, %xmm4, %xmm12
	vpsrld	$21, %xmm17, %xmm26
	vpaddd	%xmm6, %xmm17, %xmm9
	vcmpps	$1, %xmm8, %xmm7, %k3{%k6}
	vcmpps	$1, %xmm8, %xmm19, %k2{%k5}
	vpandd	%xmm2, %xmm26, %xmm26
	vcmpps	$5, %xmm8, %xmm19, %k5{%k5}
	vcmpps	$1, %xmm8, %xmm18, %k4{%k7}
	vpaddd	%xmm9, %xmm26, %xmm26
	vcmpps	$5, %xmm8, %xmm18, %k7{%k7}
	vcmpps	$5, %xmm8, %xmm7, %k6{%k6}
	vpaddd	%xmm6, %xmm14, %xmm9
	kmovb	%k3, %r15d
	vcmpps	$1, %xmm8, %xmm0, %k3{%k1}
	vcmpps	$5, %xmm8, %xmm0, %k1{%k1}
	vbroadcastss	.LC78(%rip), %xmm8
	vpsrld	$21, %xmm14, %xmm25
	vpsrld	$21, %xmm13, %xmm24
	vmovdqa32	%xmm2, %xmm23{%k4}{z}
	vcmpps	$1, %xmm8, %xmm17, %k0{%k5}
	vcmpps	$5, %xmm8, %xmm17, %k5{%k5}
	vpandd	%xmm2, %xmm25, %xmm25
	vpaddd	%xmm9, %xmm25, %xmm25
	vpaddd	%xmm6, %xmm13, %xmm9
	vpsrld	$21, %xmm12, %xmm10
	vpandd	%xmm2, %xmm24, %xmm24
	vpand	%xmm2, %xmm10, %xmm10
	vmovdqa32	%xmm2, %xmm22{%k3}{z}
	kmovb	%k0, %r14d
	vpsrld	$21, %xmm26, %xmm26
	vcmpps	$1, %xmm8, %xmm14, %k0{%k7}
	vpaddd	%xmm9, %xmm24, %xmm24
	kmovb	%k5, -57(%rsp)
	vcmpps	$5, %xmm8, %xmm14, %k7{%k7}
	vpaddd	%xmm6, %xmm12, %xmm9
	kmovb	%r14d, %k5
	vpsrld	$21, %xmm25, %xmm25
	vpsrld	$21, %xmm24, %xmm24
	vpaddd	%xmm9, %xmm10, %xmm10
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm8, %xmm13, %k0{%k6}
	vcmpps	$5, %xmm8, %xmm13, %k6{%k6}
	vaddps	%xmm17, %xmm16, %xmm9
	vmovdqa32	%xmm25, %xmm15
	vpsrld	$21, %xmm10, %xmm10
	vmovdqa32	%xmm24, %xmm11
	vmovdqa32	%xmm10, %xmm27
	kmovb	%k0, %r12d
	vcmpps	$1, %xmm8, %xmm12, %k0{%k1}
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm8, %xmm12, %k0{%k1}
	kmovb	%r15d, %k1
	vmovdqa32	%xmm2, %xmm21{%k1}{z}
	vcmpps	$14, %xmm1, %xmm19, %k1
	vmovdqa32	%xmm2, %xmm8{%k2}{z}
	vpermt2w	%xmm23, %xmm3, %xmm8
	kmovb	%k0, -58(%rsp)
	kmovb	%r15d, %k0
	movl	$-1124073472, %r15d
	korb	%k2, %k1, %k2
	vcmpps	$14, %xmm1, %xmm18, %k1
	vpbroadcastd	%r15d, %xmm20
	vpsrld	$24, %xmm18, %xmm18
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm1, %xmm7, %k1
	vpsrld	$24, %xmm7, %xmm7
	korb	%k0, %k1, %k1
	vcmpps	$14, %xmm1, %xmm0, %k0
	vpsrld	$24, %xmm0, %xmm0
	vmovdqa32	%xmm26, %xmm1
	vpaddd	%xmm20, %xmm9, %xmm1{%k5}
	vaddps	%xmm14, %xmm16, %xmm9
	kmovb	%r13d, %k5
	vpermt2w	%xmm0, %xmm3, %xmm7
	korb	%k3, %k0, %k3
	vpaddd	%xmm20, %xmm9, %xmm15{%k5}
	vaddps	%xmm13, %xmm16, %xmm9
	kmovb	%r12d, %k5
	vaddps	%xmm12, %xmm16, %xmm16
	vmovdqa32	%xmm25, %xmm15{%k7}
	vpaddd	%xmm20, %xmm9, %xmm11{%k5}
	kmovb	%ebx, %k5
	movl	$123, %ebx
	vpaddd	%xmm20, %xmm16, %xmm27{%k5}
	vmovdqa32	%xmm24, %xmm11{%k6}
	kmovb	-57(%rsp), %k5
	kmovb	-58(%rsp), %k6
	vmovdqa32	%xmm26, %xmm1{%k5}
	vpblendmd	%xmm10, %xmm27, %xmm16{%k6}
	vpbroadcastd	%ebx, %xmm15{%k4}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vpbroadcastd	%ebx, %xmm11{%k1}
	vpbroadcastd	%ebx, %xmm16{%k3}
	movl	$1197473792, %ebx
	vpbroadcastd	%ebx, %xmm17{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm13{%k1}
	vpbroadcastd	%ebx, %xmm12{%k3}
	movl	$15, %ebx
	vmovdqa	%xmm1, %xmm9
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	vmovdqa64	%xmm21, %xmm1
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	movl	$255, %ebx
	vpermt2w	%xmm22, %xmm3, %xmm1
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpbroadcastw	%ebx, %xmm10
	movl	$-128, %ebx
	kunpckbw	%k2, %k1, %k1
	vpand	%xmm1, %xmm10, %xmm1
	vpand	%xmm8, %xmm10, %xmm8
	vpand	%xmm7, %xmm10, %xmm7
	vpackuswb	%xmm1, %xmm8, %xmm8
	vpsrld	$24, %xmm19, %xmm1
	vpbroadcastb	%ebx, %xmm20
	movl	$2139095040, %ebx
	vpermt2w	%xmm18, %xmm3, %xmm1
	vpsllw	$7, %xmm8, %xmm8
	vpand	%xmm1, %xmm10, %xmm0
	vpandq	%xmm8, %xmm20, %xmm8
	vpackuswb	%xmm7, %xmm0, %xmm0
	vpandq	%xmm20, %xmm0, %xmm0
	vmovdqu8	%xmm8, %xmm0{%k1}
	vpbroadcastd	%ebx, %xmm8
	movl	$127, %ebx
	vpcmpud	$2, %xmm8, %xmm17, %k1
	vpbroadcastd	%ebx, %xmm7
	vpblendmd	%xmm9, %xmm7, %xmm1{%k1}
	vpcmpud	$2, %xmm8, %xmm14, %k1
	vpblendmd	%xmm15, %xmm7, %xmm15{%k1}
	vpcmpud	$2, %xmm8, %xmm13, %k1
	vpermt2w	%xmm15, %xmm3, %xmm1
	vpand	%xmm1, %xmm10, %xmm1
	vpblendmd	%xmm11, %xmm7, %xmm11{%k1}
	vpcmpud	$2, %xmm8, %xmm12, %k1
	vmovdqa32	%xmm16, %xmm7{%k1}
	vpermt2w	%xmm7, %xmm3, %xmm11
	vpand	%xmm11, %xmm10, %xmm10
	vpackuswb	%xmm10, %xmm1, %xmm1
	vpor	%xmm0, %xmm1, %xmm0
.L653:
	vmovdqa	%xmm0, -56(%rsp)
.L651:
	leaq	-1(%rcx), %rbx
	cmpq	$16, %rcx
	jne	.L654
	vmovdqa	-56(%rsp), %xmm7
	vmovdqu8	%xmm7, (%rax,%rsi)
.L655:
	addq	$16, %rsi
	addq	$32, %rdx
	cmpq	%rsi, %r10
	je	.L840
.L658:
	movq	%r8, %rdi
	movl	$16, %ecx
	subq	%rsi, %rdi
	cmpq	%rcx, %rdi
	cmovle	%rdi, %rcx
	cmpq	$15, %rdi
	jle	.L610
	vpmovzxwd	(%rdx), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vdivps	%zmm5, %zmm0, %zmm0
	cmpl	$5, %r9d
	je	.L845
.L618:
	cmpl	$3, %r9d
	jne	.L652
	vbroadcastss	.LC55(%rip), %xmm11
	vmovdqa	%xmm0, %xmm7
	vbroadcastss	.LC57(%rip), %xmm1
	vextracti32x4	$1, %zmm0, %xmm18
	vbroadcastss	.LC60(%rip), %xmm9
	vextracti32x4	$2, %zmm0, %xmm8
	movl	$-1006108673, %ebx
	vpandd	%xmm7, %xmm4, %xmm17
	vcmpps	$10, %xmm11, %xmm7, %k5
	vpandd	%xmm18, %xmm4, %xmm14
	vextracti32x4	$3, %zmm0, %xmm0
	vbroadcastss	.LC64(%rip), %xmm16
	vcmpps	$10, %xmm11, %xmm18, %k7
	vcmpps	$10, %xmm11, %xmm8, %k6
	vpand	%xmm8, %xmm4, %xmm13
	vcmpps	$10, %xmm11, %xmm0, %k1
	vpand	%xmm0, %xmm4, %xmm12
	vaddps	%xmm13, %xmm16, %xmm26
	vcmpps	$1, %xmm1, %xmm7, %k2{%k5}
	vcmpps	$5, %xmm1, %xmm7, %k5{%k5}
	vcmpps	$1, %xmm1, %xmm18, %k4{%k7}
	vcmpps	$5, %xmm1, %xmm18, %k7{%k7}
	vcmpps	$1, %xmm1, %xmm8, %k3{%k6}
	vcmpps	$5, %xmm1, %xmm8, %k6{%k6}
	vcmpps	$1, %xmm9, %xmm17, %k0{%k5}
	vpsrld	$20, %xmm17, %xmm25
	vpsrld	$20, %xmm14, %xmm24
	vmovdqa32	%xmm2, %xmm22{%k4}{z}
	vpandd	%xmm2, %xmm25, %xmm25
	kmovb	%k3, %r15d
	vpsrld	$20, %xmm13, %xmm23
	vpandd	%xmm2, %xmm24, %xmm24
	kmovb	%k0, %r14d
	vcmpps	$1, %xmm9, %xmm14, %k0{%k7}
	vcmpps	$1, %xmm1, %xmm0, %k3{%k1}
	vpandd	%xmm2, %xmm23, %xmm23
	vcmpps	$5, %xmm1, %xmm0, %k1{%k1}
	vcmpps	$5, %xmm9, %xmm14, %k7{%k7}
	vpbroadcastd	%ebx, %xmm1
	vpaddd	%xmm1, %xmm17, %xmm10
	kmovb	%k0, %r13d
	vpaddd	%xmm10, %xmm25, %xmm25
	vpaddd	%xmm1, %xmm14, %xmm10
	vcmpps	$1, %xmm9, %xmm13, %k0{%k6}
	vcmpps	$5, %xmm9, %xmm13, %k6{%k6}
	vpaddd	%xmm10, %xmm24, %xmm24
	vpaddd	%xmm1, %xmm13, %xmm10
	vpsrld	$20, %xmm25, %xmm25
	vpsrld	$20, %xmm24, %xmm24
	vpaddd	%xmm10, %xmm23, %xmm23
	kmovb	%k0, %r12d
	vpsrld	$20, %xmm12, %xmm10
	vpaddd	%xmm1, %xmm12, %xmm1
	vmovdqa32	%xmm24, %xmm15
	vcmpps	$1, %xmm9, %xmm12, %k0{%k1}
	vpand	%xmm2, %xmm10, %xmm10
	vmovdqa32	%xmm2, %xmm21{%k3}{z}
	vpaddd	%xmm1, %xmm10, %xmm10
	vmovdqa32	%xmm25, %xmm1
	vpsrld	$20, %xmm23, %xmm23
	vpsrld	$20, %xmm10, %xmm10
	kmovb	%k0, -57(%rsp)
	vcmpps	$5, %xmm9, %xmm17, %k0{%k5}
	vcmpps	$5, %xmm9, %xmm12, %k5{%k1}
	kmovb	%r15d, %k1
	vmovdqa32	%xmm2, %xmm20{%k1}{z}
	vcmpps	$14, %xmm11, %xmm7, %k1
	vmovdqa32	%xmm2, %xmm9{%k2}{z}
	vpermt2w	%xmm22, %xmm3, %xmm9
	vpsrld	$24, %xmm7, %xmm7
	kmovb	%k0, %ebx
	kmovb	%r15d, %k0
	movl	$-1182793728, %r15d
	kmovb	%k5, -58(%rsp)
	korb	%k2, %k1, %k2
	vcmpps	$14, %xmm11, %xmm18, %k1
	vpbroadcastd	%r15d, %xmm19
	kmovb	%r14d, %k5
	vpsrld	$24, %xmm18, %xmm18
	vpermt2w	%xmm18, %xmm3, %xmm7
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm11, %xmm8, %k1
	vpsrld	$24, %xmm8, %xmm8
	korb	%k0, %k1, %k1
	vcmpps	$14, %xmm11, %xmm0, %k0
	vpsrld	$24, %xmm0, %xmm0
	vaddps	%xmm17, %xmm16, %xmm11
	vpermt2w	%xmm0, %xmm3, %xmm8
	vpaddd	%xmm19, %xmm11, %xmm1{%k5}
	vaddps	%xmm14, %xmm16, %xmm11
	kmovb	%r13d, %k5
	korb	%k3, %k0, %k3
	vaddps	%xmm12, %xmm16, %xmm16
	vpaddd	%xmm19, %xmm11, %xmm15{%k5}
	vmovdqa32	%xmm23, %xmm11
	kmovb	%r12d, %k5
	vpaddd	%xmm19, %xmm26, %xmm11{%k5}
	vmovdqa32	%xmm10, %xmm26
	kmovb	-57(%rsp), %k5
	vmovdqa32	%xmm24, %xmm15{%k7}
	vpaddd	%xmm19, %xmm16, %xmm26{%k5}
	vmovdqa32	%xmm23, %xmm11{%k6}
	kmovb	%ebx, %k5
	kmovb	-58(%rsp), %k6
	movl	$126, %ebx
	vpblendmd	%xmm10, %xmm26, %xmm16{%k6}
	vmovdqa32	%xmm25, %xmm1{%k5}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vpbroadcastd	%ebx, %xmm15{%k4}
	vpbroadcastd	%ebx, %xmm11{%k1}
	vpbroadcastd	%ebx, %xmm16{%k3}
	movl	$1138753536, %ebx
	vmovdqa64	%xmm20, %xmm19
	vpbroadcastd	%ebx, %xmm17{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm13{%k1}
	vpbroadcastd	%ebx, %xmm12{%k3}
	movl	$15, %ebx
	vpermt2w	%xmm21, %xmm3, %xmm19
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	movl	$255, %ebx
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastw	%ebx, %xmm10
	movl	$-128, %ebx
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpand	%xmm9, %xmm10, %xmm9
	vpand	%xmm8, %xmm10, %xmm0
	vpand	%xmm7, %xmm10, %xmm7
	kunpckbw	%k2, %k1, %k1
	vpandq	%xmm19, %xmm10, %xmm19
	vpackuswb	%xmm0, %xmm7, %xmm7
	vpackuswb	%xmm19, %xmm9, %xmm9
	vpbroadcastb	%ebx, %xmm19
	movl	$2139095040, %ebx
	vpsllw	$7, %xmm9, %xmm9
	vpandq	%xmm19, %xmm7, %xmm7
	vpandq	%xmm9, %xmm19, %xmm9
	vmovdqu8	%xmm9, %xmm7{%k1}
	vpbroadcastd	%ebx, %xmm9
	movl	$127, %ebx
	vpcmpud	$2, %xmm9, %xmm17, %k1
	vpbroadcastd	%ebx, %xmm8
	vpblendmd	%xmm1, %xmm8, %xmm0{%k1}
	vpcmpud	$2, %xmm9, %xmm14, %k1
	vpblendmd	%xmm15, %xmm8, %xmm15{%k1}
	vpcmpud	$2, %xmm9, %xmm13, %k1
	vpermt2w	%xmm15, %xmm3, %xmm0
	vpand	%xmm0, %xmm10, %xmm0
	vpblendmd	%xmm11, %xmm8, %xmm11{%k1}
	vpcmpud	$2, %xmm9, %xmm12, %k1
	vmovdqa32	%xmm16, %xmm8{%k1}
	vpermt2w	%xmm8, %xmm3, %xmm11
	vpand	%xmm11, %xmm10, %xmm10
	vpackuswb	%xmm10, %xmm0, %xmm0
	vpor	%xmm7, %xmm0, %xmm0
	jmp	.L653
.L654:
	cmpq	$6, %rbx
	jbe	.L741
	movq	-56(%rsp), %rbx
	movq	%rbx, (%rax,%rsi)
	cmpq	$8, %rdi
	je	.L655
	movl	$8, %edi
.L656:
	movzbl	-56(%rsp,%rdi), %r12d
	leaq	(%rax,%rsi), %rbx
	movb	%r12b, (%rbx,%rdi)
	leaq	1(%rdi), %r12
	cmpq	%r12, %rcx
	jle	.L655
	movzbl	-55(%rsp,%rdi), %r13d
	leaq	2(%rdi), %r12
	movb	%r13b, 1(%rbx,%rdi)
	cmpq	%r12, %rcx
	jle	.L655
	movzbl	-54(%rsp,%rdi), %r13d
	leaq	3(%rdi), %r12
	movb	%r13b, 2(%rbx,%rdi)
	cmpq	%r12, %rcx
	jle	.L655
	movzbl	-53(%rsp,%rdi), %r13d
	leaq	4(%rdi), %r12
	movb	%r13b, 3(%rbx,%rdi)
	cmpq	%r12, %rcx
	jle	.L655
	movzbl	-52(%rsp,%rdi), %r13d
	movb	%r13b, 4(%rbx,%rdi)
	leaq	5(%rdi), %rbx
	cmpq	%rbx, %rcx
	jle	.L655
	leaq	(%rax,%rbx), %r12
	movzbl	-51(%rsp,%rdi), %ebx
	addq	$6, %rdi
	movb	%bl, (%r12,%rsi)
	cmpq	%rdi, %rcx
	jle	.L655
	leaq	(%rax,%rdi), %rcx
	movzbl	-56(%rsp,%rdi), %edi
	movb	%dil, (%rcx,%rsi)
	jmp	.L655
	.p2align 4,,10
	.p2align 3
.L610:
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	(%rcx,%rcx), %r12
	movq	%r11, %r14
	movq	%rdx, %rbx
	vmovdqa	%ymm0, -56(%rsp)
	cmpl	$8, %r12d
	jnb	.L846
.L612:
	xorl	%r13d, %r13d
	testb	$4, %r12b
	je	.L615
	movl	(%rbx), %r13d
	movl	%r13d, (%r14)
	movl	$4, %r13d
.L615:
	andl	$2, %r12d
	je	.L617
	movzwl	(%rbx,%r13), %ebx
	movw	%bx, (%r14,%r13)
.L617:
	vpmovzxwd	-56(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vdivps	%zmm5, %zmm0, %zmm0
	cmpl	$5, %r9d
	jne	.L618
.L845:
	vbroadcastss	.LC51(%rip), %zmm1
	movl	$0, %ebx
	vbroadcastss	.LC53(%rip), %zmm7
	vmaxps	%zmm0, %zmm1, %zmm0
	vrndscaleps	$8, %zmm0, %zmm0
	vxorps	%zmm7, %zmm0, %zmm0
	vmaxps	%zmm0, %zmm1, %zmm0
	vxorps	%zmm7, %zmm0, %zmm0
	vshufps	$85, %xmm0, %xmm0, %xmm8
	vshufps	$255, %xmm0, %xmm0, %xmm7
	vcvttss2sil	%xmm0, %r12d
	vucomiss	%xmm0, %xmm0
	valignd	$7, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm8, %xmm8
	movb	%r12b, -56(%rsp)
	vcvttss2sil	%xmm8, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm8
	cmovp	%ebx, %r12d
	vucomiss	%xmm8, %xmm8
	movb	%r12b, -55(%rsp)
	vcvttss2sil	%xmm8, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm7, %xmm7
	movb	%r12b, -54(%rsp)
	vcvttss2sil	%xmm7, %r12d
	vextractf32x4	$1, %ymm0, %xmm7
	cmovp	%ebx, %r12d
	movb	%r12b, -53(%rsp)
	vucomiss	%xmm7, %xmm7
	vcvttss2sil	%xmm7, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm7
	cmovp	%ebx, %r12d
	movb	%r12b, -52(%rsp)
	vucomiss	%xmm7, %xmm7
	vcvttss2sil	%xmm7, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm7
	vextractf32x8	$0x1, %zmm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -51(%rsp)
	vcvttss2sil	%xmm7, %r12d
	vucomiss	%xmm7, %xmm7
	vshufps	$85, %xmm0, %xmm0, %xmm7
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -50(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vshufps	$255, %xmm0, %xmm0, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -49(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm7, %xmm7
	movb	%r12b, -48(%rsp)
	vcvttss2sil	%xmm7, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm7
	cmovp	%ebx, %r12d
	vucomiss	%xmm7, %xmm7
	movb	%r12b, -47(%rsp)
	vcvttss2sil	%xmm7, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -46(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vextractf32x4	$1, %ymm0, %xmm1
	cmovp	%ebx, %r12d
	movb	%r12b, -45(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	movb	%r12b, -44(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm1
	valignd	$7, %ymm0, %ymm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -43(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vucomiss	%xmm1, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -42(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovnp	%r12d, %ebx
	movb	%bl, -41(%rsp)
	jmp	.L651
	.p2align 4,,10
	.p2align 3
.L846:
	movl	%r12d, %r15d
	xorl	%ebx, %ebx
	andl	$-8, %r15d
.L613:
	movl	%ebx, %r13d
	addl	$8, %ebx
	movq	(%rdx,%r13), %r14
	movq	%r14, (%r11,%r13)
	cmpl	%r15d, %ebx
	jb	.L613
	leaq	(%r11,%rbx), %r14
	addq	%rdx, %rbx
	jmp	.L612
	.p2align 4,,10
	.p2align 3
.L844:
	movl	%r12d, %r15d
	xorl	%ebx, %ebx
	andl	$-8, %r15d
.L563:
	movl	%ebx, %r13d
	addl	$8, %ebx
	movq	(%rdx,%r13), %r14
	movq	%r14, (%r11,%r13)
	cmpl	%r15d, %ebx
	jb	.L563
	leaq	(%r11,%rbx), %r14
	addq	%rdx, %rbx
	jmp	.L562
	.p2align 4,,10
	.p2align 3
.L842:
	movl	%r13d, %r15d
	xorl	%ebx, %ebx
	andl	$-8, %r15d
.L662:
	movl	%ebx, %r12d
	addl	$8, %ebx
	movq	(%rdx,%r12), %r14
	movq	%r14, (%r11,%r12)
	cmpl	%r15d, %ebx
	jb	.L662
	leaq	(%r11,%rbx), %r12
	addq	%rdx, %rbx
	jmp	.L661
.L758:
	xorl	%edi, %edi
	jmp	.L705
.L741:
	xorl	%edi, %edi
	jmp	.L656
.L724:
	xorl	%esi, %esi
	jmp	.L606
	.cfi_endproc
.LFE6737:
	.size	_ZN10torchpaged12_GLOBAL__N_112quantise_rowEPKcNS_5DTypeEPcS3_fl, .-_ZN10torchpaged12_GLOBAL__N_112quantise_rowEPKcNS_5DTypeEPcS3_fl
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE12load_queriesEv, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE12load_queriesEv:
.LFB7087:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	addq	$-128, %rsp
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	8(%r13), %r9
	movl	200(%rdi), %edi
	movl	16(%r9), %esi
	testl	%edi, %edi
	jle	.L848
	movq	0(%r13), %r8
	xorl	%r14d, %r14d
	.p2align 4,,10
	.p2align 3
.L865:
	movl	%r14d, %eax
	movl	256(%r8), %r10d
	movl	%r14d, 60(%rsp)
	cltd
	movslq	260(%r8), %r15
	idivl	%esi
	movl	%eax, %ecx
	movl	12(%r9), %eax
	addl	4(%r9), %ecx
	imull	%r10d, %ecx
	addl	%edx, %eax
	cltd
	idivl	%r10d
	addl	%edx, %ecx
	cltq
	addq	168(%r13), %rax
	movq	%r14, %rdx
	imulq	8(%r8), %rax
	movslq	%ecx, %rcx
	imulq	16(%r8), %rcx
	imulq	%r15, %rdx
	leaq	(%rcx,%rax), %rbx
	movq	16(%r13), %rax
	addq	(%r8), %rbx
	leaq	(%rax,%rdx,4), %rcx
	movl	24(%r8), %eax
	cmpl	$1, %eax
	je	.L849
	cmpl	$2, %eax
	jne	.L850
	testq	%r15, %r15
	jle	.L852
	leaq	(%r15,%r15), %r9
	xorl	%r12d, %r12d
	jmp	.L860
	.p2align 4,,10
	.p2align 3
.L880:
	vpmovzxwd	(%rbx), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovups	%zmm0, (%rcx)
.L859:
	addq	$16, %r12
	addq	$32, %rbx
	addq	$64, %rcx
	subq	$32, %r9
	cmpq	%r12, %r15
	jle	.L879
.L860:
	leaq	15(%r12), %rax
	cmpq	%rax, %r15
	jg	.L880
	movq	%rcx, 40(%rsp)
	movq	%r9, %rdx
	leaq	64(%rsp), %rdi
	movq	%rbx, %rsi
	movq	%r9, 48(%rsp)
	vpxor	%xmm4, %xmm4, %xmm4
	vmovdqa	%ymm4, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	vpmovzxwd	64(%rsp), %zmm0
	movq	48(%rsp), %r9
	movq	40(%rsp), %rdi
	movq	%rax, %rsi
	vpslld	$16, %zmm0, %zmm0
	leaq	(%r9,%r9), %rdx
	vmovdqa32	%zmm0, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %r9
	movq	%rax, %rcx
	jmp	.L859
	.p2align 4,,10
	.p2align 3
.L879:
	movq	8(%r13), %r9
	movq	0(%r13), %r8
	movl	200(%r13), %edi
	movl	16(%r9), %esi
.L852:
	movq	288(%r8), %r10
	testq	%r10, %r10
	je	.L864
	movl	60(%rsp), %eax
	movl	256(%r8), %ecx
	cltd
	idivl	%esi
	movl	%eax, %r12d
	movl	12(%r9), %eax
	addl	4(%r9), %r12d
	imull	%ecx, %r12d
	addl	%edx, %eax
	cltd
	idivl	%ecx
	addl	%r12d, %edx
	movslq	%edx, %rdx
	vmovss	(%r10,%rdx,4), %xmm0
	vmovss	%xmm0, 1360(%r13,%r14,4)
.L864:
	addq	$1, %r14
	cmpl	%r14d, %edi
	jg	.L865
	vzeroupper
.L848:
	testl	%esi, %esi
	jle	.L877
	movq	0(%r13), %rax
	movl	12(%r9), %r10d
	vxorps	%xmm1, %xmm1, %xmm1
	xorl	%ecx, %ecx
	movq	152(%r13), %r8
	movslq	%esi, %r9
	subq	160(%r13), %r8
	movl	256(%rax), %edi
	.p2align 4,,10
	.p2align 3
.L867:
	movl	%ecx, %eax
	cltd
	idivl	%esi
	leal	(%rdx,%r10), %eax
	cltd
	idivl	%edi
	cltq
	addq	%r8, %rax
	vcvtsi2ssq	%rax, %xmm1, %xmm0
	vmovss	%xmm0, 204(%r13,%rcx,4)
	addq	$1, %rcx
	cmpq	%rcx, %r9
	jne	.L867
.L877:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L850:
	.cfi_restore_state
	testq	%r15, %r15
	jle	.L852
	leaq	0(,%r15,4), %r12
	xorl	%r8d, %r8d
	jmp	.L863
	.p2align 4,,10
	.p2align 3
.L881:
	vmovups	(%rbx), %zmm2
	vmovups	%zmm2, (%rcx)
.L862:
	addq	$16, %r8
	addq	$64, %rbx
	addq	$64, %rcx
	subq	$64, %r12
	cmpq	%r8, %r15
	jle	.L879
.L863:
	leaq	15(%r8), %rax
	cmpq	%rax, %r15
	jg	.L881
	movq	%r8, 40(%rsp)
	leaq	64(%rsp), %rdi
	movq	%r12, %rdx
	movq	%rbx, %rsi
	movq	%rcx, 48(%rsp)
	vpxor	%xmm5, %xmm5, %xmm5
	vmovdqa64	%zmm5, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %rdi
	movq	%r12, %rdx
	movq	%rax, %rsi
	call	memcpy@PLT
	movq	40(%rsp), %r8
	movq	%rax, %rcx
	jmp	.L862
	.p2align 4,,10
	.p2align 3
.L849:
	testq	%r15, %r15
	jle	.L852
	leaq	(%r15,%r15), %r9
	xorl	%r12d, %r12d
	jmp	.L857
	.p2align 4,,10
	.p2align 3
.L882:
	vcvtph2ps	(%rbx), %zmm0
	vmovups	%zmm0, (%rcx)
.L856:
	addq	$16, %r12
	addq	$32, %rbx
	addq	$64, %rcx
	subq	$32, %r9
	cmpq	%r12, %r15
	jle	.L879
.L857:
	leaq	15(%r12), %rax
	cmpq	%rax, %r15
	jg	.L882
	movq	%rcx, 40(%rsp)
	movq	%r9, %rdx
	leaq	64(%rsp), %rdi
	movq	%rbx, %rsi
	movq	%r9, 48(%rsp)
	vpxor	%xmm3, %xmm3, %xmm3
	vmovdqa	%ymm3, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %r9
	movq	40(%rsp), %rdi
	vcvtph2ps	64(%rsp), %zmm0
	movq	%rax, %rsi
	vmovaps	%zmm0, 64(%rsp)
	leaq	(%r9,%r9), %rdx
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %r9
	movq	%rax, %rcx
	jmp	.L856
	.cfi_endproc
.LFE7087:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE12load_queriesEv, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE12load_queriesEv
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110finish_rowERKNS_15AttentionParamsEliiffPKf, @function
_ZN10torchpaged12_GLOBAL__N_110finish_rowERKNS_15AttentionParamsEliiffPKf:
.LFB6646:
	.cfi_startproc
	leaq	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	andq	$-64, %rsp
	pushq	-8(%r10)
	pushq	%rbp
	movq	%rsp, %rbp
	.cfi_escape 0x10,0x6,0x2,0x76,0
	pushq	%r14
	pushq	%r13
	.cfi_escape 0x10,0xe,0x2,0x76,0x78
	.cfi_escape 0x10,0xd,0x2,0x76,0x70
	movq	%rsi, %r13
	movl	%ecx, %esi
	pushq	%r12
	pushq	%r10
	.cfi_escape 0xf,0x3,0x76,0x60,0x6
	.cfi_escape 0x10,0xc,0x2,0x76,0x68
	pushq	%rbx
	.cfi_escape 0x10,0x3,0x2,0x76,0x58
	movq	%rdi, %rbx
	subq	$136, %rsp
	movq	296(%rdi), %rax
	testq	%rax, %rax
	je	.L884
	movl	304(%rdi), %ecx
	movslq	%edx, %r12
	cmpl	$1, %ecx
	je	.L885
	cmpl	$2, %ecx
	jne	.L941
	movzwl	(%rax,%r12,2), %eax
	vpxor	%xmm2, %xmm2, %xmm2
	vmovdqu8	%xmm2, -110(%rbp)
	movw	%ax, -112(%rbp)
	vmovdqu8	%xmm2, -96(%rbp)
	vpmovzxwd	-112(%rbp), %zmm9
	vpslld	$16, %zmm9, %zmm9
.L888:
	vmaxss	%xmm9, %xmm0, %xmm3
.L889:
	vmovss	.LC27(%rip), %xmm2
	vucomiss	%xmm3, %xmm2
	ja	.L933
	vsubss	%xmm3, %xmm0, %xmm0
	vsubss	%xmm3, %xmm9, %xmm9
.L891:
	vbroadcastss	.LC29(%rip), %zmm6
	vbroadcastss	%xmm0, %zmm0
	vbroadcastss	.LC31(%rip), %zmm5
	vbroadcastss	%xmm9, %zmm9
	vbroadcastss	.LC33(%rip), %zmm10
	vbroadcastss	.LC35(%rip), %zmm8
	vbroadcastss	.LC39(%rip), %zmm16
	vmaxps	%zmm0, %zmm6, %zmm0
	vbroadcastss	.LC41(%rip), %zmm15
	vmaxps	%zmm9, %zmm6, %zmm6
	vbroadcastss	.LC43(%rip), %zmm14
	vbroadcastss	.LC45(%rip), %zmm13
	vbroadcastss	.LC47(%rip), %zmm12
	vmulps	%zmm5, %zmm0, %zmm7
	vmulps	%zmm5, %zmm6, %zmm5
	vrndscaleps	$8, %zmm7, %zmm7
	vrndscaleps	$8, %zmm5, %zmm5
	vfmadd231ps	%zmm10, %zmm7, %zmm0
	vfmadd231ps	%zmm10, %zmm5, %zmm6
	vmovaps	%zmm0, %zmm2
	vbroadcastss	.LC37(%rip), %zmm0
	vfmadd231ps	%zmm8, %zmm7, %zmm2
	vmovaps	%zmm0, %zmm4
	vmulps	%zmm2, %zmm2, %zmm11
	vfmadd132ps	%zmm2, %zmm16, %zmm4
	vfmadd132ps	%zmm2, %zmm15, %zmm4
	vfmadd132ps	%zmm2, %zmm14, %zmm4
	vfmadd132ps	%zmm2, %zmm13, %zmm4
	vfmadd132ps	%zmm2, %zmm12, %zmm4
	vfmadd231ps	%zmm11, %zmm4, %zmm2
	vmovaps	%zmm8, %zmm4
	vbroadcastss	.LC49(%rip), %zmm11
	vfmadd132ps	%zmm5, %zmm6, %zmm4
	vaddps	%zmm11, %zmm2, %zmm2
	vmulps	%zmm4, %zmm4, %zmm6
	vfmadd132ps	%zmm4, %zmm16, %zmm0
	vscalefps	%zmm7, %zmm2, %zmm2
	vfmadd132ps	%zmm4, %zmm15, %zmm0
	vfmadd132ps	%zmm4, %zmm14, %zmm0
	vfmadd132ps	%zmm4, %zmm13, %zmm0
	vfmadd132ps	%zmm4, %zmm12, %zmm0
	vfmadd132ps	%zmm6, %zmm4, %zmm0
	vaddps	%zmm11, %zmm0, %zmm0
	vscalefps	%zmm5, %zmm0, %zmm0
	vmulss	%xmm2, %xmm1, %xmm5
	vaddss	%xmm0, %xmm5, %xmm5
	vxorps	%xmm0, %xmm0, %xmm0
	vucomiss	%xmm0, %xmm1
	jp	.L921
	vmovaps	%xmm0, %xmm4
	je	.L893
.L921:
	vdivss	%xmm5, %xmm2, %xmm4
.L893:
	movq	136(%rbx), %rax
	testq	%rax, %rax
	je	.L895
	cmpb	$0, 168(%rbx)
	jne	.L895
	movslq	%esi, %rcx
	imulq	160(%rbx), %rcx
	vmulss	(%rax,%rcx,4), %xmm4, %xmm4
.L895:
	movq	352(%rbx), %rcx
	movq	360(%rbx), %rax
	movslq	264(%rbx), %rdx
	imulq	%r12, %rax
	imulq	%r13, %rcx
	addq	%rax, %rcx
	movl	24(%rbx), %eax
	addq	344(%rbx), %rcx
	cmpl	$1, %eax
	je	.L896
	cmpl	$2, %eax
	je	.L897
	cmpq	$15, %rdx
	jle	.L916
	leaq	-16(%rdx), %rdi
	vbroadcastss	%xmm4, %zmm2
	xorl	%eax, %eax
	movq	%rdi, %rsi
	vxorps	%xmm1, %xmm1, %xmm1
	andq	$-16, %rsi
	addq	$16, %rsi
	.p2align 4,,10
	.p2align 3
.L907:
	vmulps	(%r8,%rax,4), %zmm2, %zmm0
	vaddps	%zmm1, %zmm0, %zmm0
	vmovups	%zmm0, (%rcx,%rax,4)
	addq	$16, %rax
	cmpq	%rsi, %rax
	jne	.L907
	andq	$-16, %rdi
	leaq	16(%rdi), %rax
.L906:
	cmpq	%rdx, %rax
	jl	.L942
.L937:
	vzeroupper
.L902:
	movq	368(%rbx), %r14
	testq	%r14, %r14
	je	.L938
	vxorps	%xmm0, %xmm0, %xmm0
	vucomiss	%xmm0, %xmm5
	jp	.L922
	vmovss	.LC1(%rip), %xmm0
	je	.L909
.L922:
	vmovaps	%xmm5, %xmm0
	vmovss	%xmm3, -116(%rbp)
	call	logf@PLT
	vmovss	-116(%rbp), %xmm3
	vaddss	%xmm3, %xmm0, %xmm0
.L909:
	movslq	248(%rbx), %rax
	imulq	%r13, %rax
	addq	%r12, %rax
	vmovss	%xmm0, (%r14,%rax,4)
.L938:
	addq	$136, %rsp
	popq	%rbx
	popq	%r10
	.cfi_remember_state
	.cfi_def_cfa 10, 0
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%rbp
	leaq	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L941:
	.cfi_restore_state
	vmovss	(%rax,%r12,4), %xmm9
	vmovss	%xmm9, -112(%rbp)
	jmp	.L888
	.p2align 4,,10
	.p2align 3
.L933:
	vxorps	%xmm3, %xmm3, %xmm3
	jmp	.L891
	.p2align 4,,10
	.p2align 3
.L897:
	cmpl	$15, %edx
	jle	.L915
	movl	$4194304, %esi
	leaq	-16(%rdx), %r9
	vbroadcastss	%xmm4, %zmm11
	xorl	%eax, %eax
	movq	%r9, %rdi
	vpbroadcastd	%esi, %zmm8
	movl	$1, %esi
	andq	$-16, %rdi
	vpbroadcastd	%esi, %zmm7
	movl	$32767, %esi
	addq	$16, %rdi
	vxorps	%xmm10, %xmm10, %xmm10
	vpternlogd	$0xFF, %zmm9, %zmm9, %zmm9
	vpbroadcastd	%esi, %zmm6
	.p2align 4,,10
	.p2align 3
.L904:
	vmulps	(%r8,%rax,4), %zmm11, %zmm2
	vaddps	%zmm10, %zmm2, %zmm2
	vcmpps	$0, %zmm2, %zmm2, %k1
	vpsrad	$16, %zmm2, %zmm1
	vpandd	%zmm7, %zmm1, %zmm1
	vpaddd	%zmm2, %zmm1, %zmm1
	vmovdqa32	%zmm9, %zmm0{%k1}{z}
	vpaddd	%zmm6, %zmm1, %zmm1
	vpmovd2m	%zmm0, %k1
	vpord	%zmm2, %zmm8, %zmm0
	vmovaps	%zmm1, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, %ymm0
	vmovdqu	%ymm0, (%rcx,%rax,2)
	addq	$16, %rax
	cmpq	%rax, %rdi
	jne	.L904
	andq	$-16, %r9
	leaq	16(%r9), %rsi
.L903:
	cmpq	%rdx, %rsi
	jge	.L937
	vbroadcastss	%xmm4, %zmm4
	vxorps	%xmm0, %xmm0, %xmm0
	movl	$4194304, %eax
	vmovss	%xmm5, -120(%rbp)
	vmulps	(%r8,%rsi,4), %zmm4, %zmm4
	vmovss	%xmm3, -116(%rbp)
	subq	%rsi, %rdx
	leaq	(%rcx,%rsi,2), %rdi
	vaddps	%zmm0, %zmm4, %zmm4
	vcmpps	$0, %zmm4, %zmm4, %k0
	vpsrad	$16, %zmm4, %zmm1
	vpmovm2d	%k0, %zmm0
	vpmovd2m	%zmm0, %k1
	vpbroadcastd	%eax, %zmm0
	movl	$1, %eax
	vpbroadcastd	%eax, %zmm2
	movl	$32767, %eax
	vpord	%zmm4, %zmm0, %zmm0
	vpandd	%zmm2, %zmm1, %zmm1
	vpbroadcastd	%eax, %zmm2
	vpaddd	%zmm4, %zmm1, %zmm1
	vpaddd	%zmm2, %zmm1, %zmm1
	vmovaps	%zmm1, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, -112(%rbp)
	jmp	.L940
	.p2align 4,,10
	.p2align 3
.L896:
	cmpq	$15, %rdx
	jle	.L914
	leaq	-16(%rdx), %rdi
	vbroadcastss	%xmm4, %zmm2
	xorl	%eax, %eax
	movq	%rdi, %rsi
	vxorps	%xmm1, %xmm1, %xmm1
	andq	$-16, %rsi
	addq	$16, %rsi
	.p2align 4,,10
	.p2align 3
.L900:
	vmulps	(%r8,%rax,4), %zmm2, %zmm0
	vaddps	%zmm1, %zmm0, %zmm0
	vcvtps2ph	$8, %zmm0, %ymm0
	vmovdqu	%ymm0, (%rcx,%rax,2)
	addq	$16, %rax
	cmpq	%rax, %rsi
	jne	.L900
	andq	$-16, %rdi
	leaq	16(%rdi), %rax
.L899:
	cmpq	%rdx, %rax
	jge	.L937
	vbroadcastss	%xmm4, %zmm4
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	(%rcx,%rax,2), %rdi
	vmovss	%xmm5, -120(%rbp)
	vmulps	(%r8,%rax,4), %zmm4, %zmm4
	vmovss	%xmm3, -116(%rbp)
	subq	%rax, %rdx
	vaddps	%zmm0, %zmm4, %zmm4
	vcvtps2ph	$8, %zmm4, -112(%rbp)
.L940:
	addq	%rdx, %rdx
	leaq	-112(%rbp), %rsi
	vzeroupper
	call	memcpy@PLT
	vmovss	-116(%rbp), %xmm3
	vmovss	-120(%rbp), %xmm5
	jmp	.L902
	.p2align 4,,10
	.p2align 3
.L885:
	movzwl	(%rax,%r12,2), %eax
	vpxor	%xmm2, %xmm2, %xmm2
	vmovdqu8	%xmm2, -110(%rbp)
	movw	%ax, -112(%rbp)
	vmovdqu8	%xmm2, -96(%rbp)
	vcvtph2ps	-112(%rbp), %zmm9
	jmp	.L888
	.p2align 4,,10
	.p2align 3
.L942:
	vbroadcastss	%xmm4, %zmm4
	vxorps	%xmm0, %xmm0, %xmm0
	subq	%rax, %rdx
	vmovss	%xmm5, -120(%rbp)
	vmulps	(%r8,%rax,4), %zmm4, %zmm4
	salq	$2, %rdx
	leaq	(%rcx,%rax,4), %rdi
	leaq	-112(%rbp), %rsi
	vmovss	%xmm3, -116(%rbp)
	vaddps	%zmm0, %zmm4, %zmm4
	vmovaps	%zmm4, -112(%rbp)
	vzeroupper
	call	memcpy@PLT
	vmovss	-120(%rbp), %xmm5
	vmovss	-116(%rbp), %xmm3
	jmp	.L902
	.p2align 4,,10
	.p2align 3
.L884:
	vcomiss	.LC27(%rip), %xmm0
	jnb	.L918
	vmovss	.LC1(%rip), %xmm9
	vxorps	%xmm3, %xmm3, %xmm3
	movslq	%edx, %r12
	jmp	.L891
	.p2align 4,,10
	.p2align 3
.L918:
	vmovss	.LC1(%rip), %xmm9
	vmovaps	%xmm0, %xmm3
	movslq	%edx, %r12
	jmp	.L889
	.p2align 4,,10
	.p2align 3
.L916:
	xorl	%eax, %eax
	jmp	.L906
	.p2align 4,,10
	.p2align 3
.L914:
	xorl	%eax, %eax
	jmp	.L899
	.p2align 4,,10
	.p2align 3
.L915:
	xorl	%esi, %esi
	jmp	.L903
	.cfi_endproc
.LFE6646:
	.size	_ZN10torchpaged12_GLOBAL__N_110finish_rowERKNS_15AttentionParamsEliiffPKf, .-_ZN10torchpaged12_GLOBAL__N_110finish_rowERKNS_15AttentionParamsEliiffPKf
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_113multiply_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEELi2ELb1EEEvlPKjPKNS0_10GroupScaleEPKcPfbSB_.isra.0, @function
_ZN10torchpaged12_GLOBAL__N_113multiply_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEELi2ELb1EEEvlPKjPKNS0_10GroupScaleEPKcPfbSB_.isra.0:
.LFB7600:
	.cfi_startproc
	salq	$4, %rdi
	vxorps	%xmm6, %xmm6, %xmm6
	movq	%rsi, %rax
	movq	%rcx, %r10
	movq	%rdi, %rsi
	movl	$-65536, %edi
	leaq	64(%r9), %rcx
	addq	%rax, %rsi
	vmovaps	%zmm6, %zmm3
	vmovaps	%zmm6, %zmm4
	vmovaps	%zmm6, %zmm5
	vpbroadcastd	%edi, %zmm7
	.p2align 4,,10
	.p2align 3
.L944:
	addq	$16, %rax
	prefetcht0	-64(%rcx)
	prefetcht0	(%rcx)
	subq	$-128, %rdx
	vpslld	$16, -128(%rdx), %zmm2
	vpslld	$16, -64(%rdx), %zmm0
	subq	$-128, %rcx
	vpbroadcastd	-16(%rax), %zmm1
	vfmadd231ps	%zmm2, %zmm1, %zmm5
	vfmadd231ps	%zmm0, %zmm1, %zmm4
	vpbroadcastd	-12(%rax), %zmm1
	vfmadd231ps	%zmm2, %zmm1, %zmm3
	vfmadd231ps	%zmm0, %zmm1, %zmm6
	vpbroadcastd	-8(%rax), %zmm2
	vpandd	-128(%rdx), %zmm7, %zmm1
	vpandd	-64(%rdx), %zmm7, %zmm0
	vfmadd231ps	%zmm1, %zmm2, %zmm5
	vfmadd231ps	%zmm0, %zmm2, %zmm4
	vpbroadcastd	-4(%rax), %zmm2
	vfmadd231ps	%zmm1, %zmm2, %zmm3
	vfmadd231ps	%zmm0, %zmm2, %zmm6
	cmpq	%rax, %rsi
	jne	.L944
	testb	%r8b, %r8b
	je	.L945
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm5, (%r10)
	vmovups	%zmm4, 64(%r10)
	vmovups	%zmm3, 128(%r10)
.L946:
	vaddps	%zmm6, %zmm0, %zmm0
	vmovups	%zmm0, 192(%r10)
	vzeroupper
	ret
.L945:
	vaddps	(%r10), %zmm5, %zmm5
	vaddps	64(%r10), %zmm4, %zmm4
	vaddps	128(%r10), %zmm3, %zmm3
	vmovups	192(%r10), %zmm0
	vmovups	%zmm5, (%r10)
	vmovups	%zmm4, 64(%r10)
	vmovups	%zmm3, 128(%r10)
	jmp	.L946
	.cfi_endproc
.LFE7600:
	.size	_ZN10torchpaged12_GLOBAL__N_113multiply_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEELi2ELb1EEEvlPKjPKNS0_10GroupScaleEPKcPfbSB_.isra.0, .-_ZN10torchpaged12_GLOBAL__N_113multiply_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEELi2ELb1EEEvlPKjPKNS0_10GroupScaleEPKcPfbSB_.isra.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_10MassWeightEEEfPKflRKT_fPf, @function
_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_10MassWeightEEEfPKflRKT_fPf:
.LFB7073:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	movq	%rcx, %r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	movq	%rdi, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rsi, %rbx
	xorl	%esi, %esi
	andq	$-64, %rsp
	subq	$24704, %rsp
	movq	%rdx, 8(%rsp)
	leaq	8320(%rsp), %rdi
	movl	$16384, %edx
	vmovss	%xmm0, 56(%rsp)
	call	memset@PLT
	testq	%rbx, %rbx
	vmovss	56(%rsp), %xmm1
	leaq	128(%rsp), %r8
	movq	%rax, %rdi
	jle	.L949
	movq	8(%rsp), %rax
	leaq	-1(%rbx), %rdx
	leaq	-16(%rbx), %rsi
	movq	%r12, %rcx
	andq	$-16, %rdx
	vbroadcastss	%xmm1, %zmm16
	vbroadcastss	.LC29(%rip), %zmm15
	vbroadcastss	.LC53(%rip), %zmm2
	vbroadcastss	(%rax), %zmm18
	subq	%rdx, %rsi
	vbroadcastss	4(%rax), %zmm17
	leaq	128(%rsp), %r8
	vbroadcastss	.LC31(%rip), %zmm14
	movq	%rbx, %rax
	vbroadcastss	.LC33(%rip), %zmm13
	vpxord	%xmm19, %xmm19, %xmm19
	vbroadcastss	.LC35(%rip), %zmm12
	vpternlogd	$0xFF, %zmm3, %zmm3, %zmm3
	vbroadcastss	.LC37(%rip), %zmm11
	vbroadcastss	.LC39(%rip), %zmm10
	vbroadcastss	.LC41(%rip), %zmm9
	vbroadcastss	.LC43(%rip), %zmm8
	vbroadcastss	.LC45(%rip), %zmm7
	vbroadcastss	.LC47(%rip), %zmm6
	vbroadcastss	.LC49(%rip), %zmm5
	vbroadcastss	.LC95(%rip), %zmm4
	jmp	.L959
	.p2align 4,,10
	.p2align 3
.L1189:
	vmovups	(%rcx), %zmm20
.L951:
	vmulps	%zmm18, %zmm20, %zmm0
	vmovaps	%zmm11, %zmm28
	vcmpps	$2, %zmm17, %zmm20, %k1
	vxorps	%zmm2, %zmm0, %zmm0
	vmaxps	%zmm0, %zmm15, %zmm0
	vmulps	%zmm14, %zmm0, %zmm22
	vrndscaleps	$8, %zmm22, %zmm22
	vfmadd231ps	%zmm13, %zmm22, %zmm0
	vfmadd231ps	%zmm12, %zmm22, %zmm0
	vmulps	%zmm0, %zmm0, %zmm21
	vfmadd132ps	%zmm0, %zmm10, %zmm28
	vmovaps	%zmm28, %zmm30
	vfmadd132ps	%zmm0, %zmm9, %zmm30
	vmovaps	%zmm30, %zmm31
	vfmadd132ps	%zmm0, %zmm8, %zmm31
	vmovaps	%zmm31, %zmm29
	vfmadd132ps	%zmm0, %zmm7, %zmm29
	vmovaps	%zmm29, %zmm30
	vfmadd132ps	%zmm0, %zmm6, %zmm30
	vfmadd231ps	%zmm21, %zmm30, %zmm0
	vmovdqa32	%zmm3, %zmm21{%k1}{z}
	vpmovd2m	%zmm21, %k1
	vaddps	%zmm5, %zmm0, %zmm0
	vscalefps	%zmm22, %zmm0, %zmm21{%k1}{z}
	vmulps	%zmm16, %zmm20, %zmm0
	vxorps	%zmm2, %zmm0, %zmm0
	vmaxps	%zmm4, %zmm0, %zmm0
	vcvtss2sd	%xmm21, %xmm21, %xmm25
	vxorps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm0, %zmm0
	vmovd	%xmm0, %edx
	movslq	%edx, %rdx
	vaddsd	8320(%rsp,%rdx,8), %xmm25, %xmm25
	vmovsd	%xmm25, 8320(%rsp,%rdx,8)
	cmpq	$1, %rax
	jle	.L958
	vpextrd	$1, %xmm0, %edx
	vshufps	$85, %xmm21, %xmm21, %xmm25
	vcvtss2sd	%xmm25, %xmm25, %xmm25
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm25, %xmm25
	vmovsd	%xmm25, 16512(%rsp,%rdx,8)
	cmpq	$2, %rax
	jle	.L958
	vpextrd	$2, %xmm0, %edx
	vunpckhps	%xmm21, %xmm21, %xmm25
	movslq	%edx, %rdx
	vcvtss2sd	%xmm25, %xmm25, %xmm25
	vaddsd	8320(%rsp,%rdx,8), %xmm25, %xmm25
	vmovsd	%xmm25, 8320(%rsp,%rdx,8)
	cmpq	$3, %rax
	jle	.L958
	vpextrd	$3, %xmm0, %edx
	vshufps	$255, %xmm21, %xmm21, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$4, %rax
	jle	.L958
	vextracti32x4	$1, %ymm0, %xmm29
	vextracti32x4	$0x1, %ymm0, %xmm25
	vextractf32x4	$0x1, %ymm21, %xmm22
	vextractf32x4	$1, %ymm21, %xmm20
	vmovd	%xmm29, %edx
	movslq	%edx, %rdx
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	vaddsd	8320(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 8320(%rsp,%rdx,8)
	cmpq	$5, %rax
	jle	.L958
	vpextrd	$1, %xmm25, %edx
	vshufps	$85, %xmm22, %xmm22, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$6, %rax
	jle	.L958
	vpextrd	$2, %xmm25, %edx
	vunpckhps	%xmm22, %xmm22, %xmm20
	movslq	%edx, %rdx
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	vaddsd	8320(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 8320(%rsp,%rdx,8)
	cmpq	$7, %rax
	jle	.L958
	vpextrd	$3, %xmm25, %edx
	vshufps	$255, %xmm22, %xmm22, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$8, %rax
	jle	.L958
	vextracti32x8	$0x1, %zmm0, %ymm0
	vextractf32x8	$0x1, %zmm21, %ymm21
	vmovd	%xmm0, %edx
	vcvtss2sd	%xmm21, %xmm21, %xmm23
	movslq	%edx, %rdx
	vaddsd	8320(%rsp,%rdx,8), %xmm23, %xmm23
	vmovsd	%xmm23, 8320(%rsp,%rdx,8)
	cmpq	$9, %rax
	jle	.L958
	vpextrd	$1, %xmm0, %edx
	vshufps	$85, %xmm21, %xmm21, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$10, %rax
	jle	.L958
	vpextrd	$2, %xmm0, %edx
	vunpckhps	%xmm21, %xmm21, %xmm23
	movslq	%edx, %rdx
	vcvtss2sd	%xmm23, %xmm23, %xmm23
	vaddsd	8320(%rsp,%rdx,8), %xmm23, %xmm23
	vmovsd	%xmm23, 8320(%rsp,%rdx,8)
	cmpq	$11, %rax
	jle	.L958
	vpextrd	$3, %xmm0, %edx
	vshufps	$255, %xmm21, %xmm21, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$12, %rax
	jle	.L958
	vextracti32x4	$0x1, %ymm0, %xmm22
	vextractf32x4	$0x1, %ymm21, %xmm20
	vextracti32x4	$1, %ymm0, %xmm0
	vextractf32x4	$1, %ymm21, %xmm21
	vmovd	%xmm0, %edx
	movslq	%edx, %rdx
	vcvtss2sd	%xmm21, %xmm21, %xmm21
	vaddsd	8320(%rsp,%rdx,8), %xmm21, %xmm21
	vmovsd	%xmm21, 8320(%rsp,%rdx,8)
	cmpq	$13, %rax
	jle	.L958
	vpextrd	$1, %xmm22, %edx
	vshufps	$85, %xmm20, %xmm20, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	cmpq	$14, %rax
	jle	.L958
	vpextrd	$2, %xmm22, %edx
	vunpckhps	%xmm20, %xmm20, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$15, %rax
	jle	.L958
	vpextrd	$3, %xmm22, %edx
	vshufps	$255, %xmm20, %xmm20, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	.p2align 4,,10
	.p2align 3
.L958:
	subq	$16, %rax
	addq	$64, %rcx
	cmpq	%rax, %rsi
	je	.L949
.L959:
	cmpq	$15, %rax
	jg	.L1189
	movl	$16, %edx
	movq	%r8, %r10
	movq	%rcx, %r9
	vmovdqa64	%zmm19, 128(%rsp)
	cmpq	%rdx, %rax
	cmovle	%rax, %rdx
	salq	$2, %rdx
	cmpl	$8, %edx
	jnb	.L1190
.L952:
	andl	$4, %edx
	je	.L957
	movl	(%r9), %edx
	movl	%edx, (%r10)
.L957:
	vmovaps	128(%rsp), %zmm20
	jmp	.L951
.L949:
	movq	%rdi, %rdx
	movq	%r8, %rax
	vxorpd	%xmm3, %xmm3, %xmm3
	.p2align 4,,10
	.p2align 3
.L960:
	vmovapd	8192(%rdx), %zmm5
	vaddpd	(%rdx), %zmm5, %zmm0
	addq	$64, %rax
	addq	$64, %rdx
	valignq	$3, %ymm0, %ymm0, %ymm2
	vaddsd	%xmm3, %xmm0, %xmm3
	vunpckhpd	%xmm0, %xmm0, %xmm4
	vmovapd	%zmm0, -64(%rax)
	vaddsd	%xmm3, %xmm4, %xmm4
	vextractf64x2	$1, %ymm0, %xmm3
	vextractf64x4	$0x1, %zmm0, %ymm0
	vaddsd	%xmm4, %xmm3, %xmm3
	vaddsd	%xmm3, %xmm2, %xmm2
	vunpckhpd	%xmm0, %xmm0, %xmm3
	vaddsd	%xmm2, %xmm0, %xmm2
	vaddsd	%xmm2, %xmm3, %xmm2
	vextractf64x2	$1, %ymm0, %xmm3
	valignq	$3, %ymm0, %ymm0, %ymm0
	vaddsd	%xmm2, %xmm3, %xmm3
	vaddsd	%xmm0, %xmm3, %xmm3
	cmpq	%rax, %rdi
	jne	.L960
	movq	8(%rsp), %rax
	vxorpd	%xmm2, %xmm2, %xmm2
	vmulsd	8(%rax), %xmm3, %xmm3
	xorl	%eax, %eax
	jmp	.L962
	.p2align 4,,10
	.p2align 3
.L1192:
	addq	$1, %rax
	cmpq	$1024, %rax
	je	.L1191
.L962:
	vmovsd	%xmm2, %xmm2, %xmm0
	vaddsd	(%r8,%rax,8), %xmm2, %xmm2
	vcomisd	%xmm3, %xmm2
	jb	.L1192
	testq	%rbx, %rbx
	jle	.L1193
	leaq	-1(%rbx), %rdx
	leaq	-16(%rbx), %rcx
	vpbroadcastd	%eax, %zmm5
	vbroadcastss	.LC53(%rip), %zmm2
	andq	$-16, %rdx
	movq	%r12, %rax
	xorl	%r12d, %r12d
	vbroadcastss	.LC95(%rip), %zmm4
	vbroadcastss	%xmm1, %zmm1
	subq	%rdx, %rcx
	vpxor	%xmm11, %xmm11, %xmm11
	vpternlogd	$0xFF, %zmm10, %zmm10, %zmm10
	jmp	.L990
.L972:
	subq	$16, %rbx
	addq	$64, %rax
	cmpq	%rcx, %rbx
	je	.L1046
.L990:
	cmpq	$15, %rbx
	jle	.L964
	vmovups	(%rax), %zmm7
.L965:
	vmulps	%zmm1, %zmm7, %zmm6
	vxorps	%zmm2, %zmm6, %zmm6
	vmaxps	%zmm4, %zmm6, %zmm6
	vxorps	%zmm2, %zmm6, %zmm6
	vcvttps2dq	%zmm6, %zmm6
	vpcmpd	$0, %zmm5, %zmm6, %k1
	vmovdqa32	%zmm10, %zmm6{%k1}{z}
	vpmovd2m	%zmm6, %k0
	kortestw	%k0, %k0
	je	.L972
	vmovd	%xmm6, %edx
	vmovdqa	%ymm6, %ymm8
	testl	%edx, %edx
	je	.L973
	vmovss	%xmm7, (%r15,%r12,4)
	addq	$1, %r12
.L973:
	cmpq	$1, %rbx
	jle	.L972
	vpextrd	$1, %xmm8, %edx
	testl	%edx, %edx
	je	.L975
	vextractps	$1, %xmm7, (%r15,%r12,4)
	addq	$1, %r12
.L975:
	cmpq	$2, %rbx
	jle	.L972
	vpextrd	$2, %xmm8, %edx
	testl	%edx, %edx
	je	.L976
	vextractps	$2, %xmm7, (%r15,%r12,4)
	addq	$1, %r12
.L976:
	cmpq	$3, %rbx
	jle	.L972
	vpextrd	$3, %xmm8, %edx
	testl	%edx, %edx
	je	.L977
	vextractps	$3, %xmm7, (%r15,%r12,4)
	addq	$1, %r12
.L977:
	cmpq	$4, %rbx
	jle	.L972
	vextracti32x4	$1, %ymm8, %xmm12
	vmovd	%xmm12, %edx
	testl	%edx, %edx
	je	.L978
	vextractf32x4	$1, %ymm7, %xmm9
	vmovss	%xmm9, (%r15,%r12,4)
	addq	$1, %r12
.L978:
	cmpq	$5, %rbx
	jle	.L972
	valignd	$5, %ymm8, %ymm8, %ymm13
	vmovd	%xmm13, %edx
	testl	%edx, %edx
	je	.L979
	valignd	$5, %zmm7, %zmm7, %zmm9
	vmovss	%xmm9, (%r15,%r12,4)
	addq	$1, %r12
.L979:
	cmpq	$6, %rbx
	jle	.L972
	valignd	$6, %ymm8, %ymm8, %ymm14
	vmovd	%xmm14, %edx
	testl	%edx, %edx
	je	.L980
	valignd	$6, %zmm7, %zmm7, %zmm9
	vmovss	%xmm9, (%r15,%r12,4)
	addq	$1, %r12
.L980:
	cmpq	$7, %rbx
	jle	.L972
	valignd	$7, %ymm8, %ymm8, %ymm8
	vmovd	%xmm8, %esi
	testl	%esi, %esi
	jne	.L1194
.L981:
	cmpq	$8, %rbx
	jle	.L972
	vextracti32x8	$0x1, %zmm6, %ymm8
	vextracti32x4	$2, %zmm6, %xmm6
	vmovd	%xmm6, %esi
	testl	%esi, %esi
	jne	.L1195
.L982:
	cmpq	$9, %rbx
	jle	.L972
	vpextrd	$1, %xmm8, %edx
	testl	%edx, %edx
	jne	.L1196
.L983:
	cmpq	$10, %rbx
	jle	.L972
	vpextrd	$2, %xmm8, %edx
	testl	%edx, %edx
	jne	.L1197
.L984:
	cmpq	$11, %rbx
	jle	.L972
	vpextrd	$3, %xmm8, %edx
	testl	%edx, %edx
	jne	.L1198
.L985:
	cmpq	$12, %rbx
	jle	.L972
	vextracti32x4	$1, %ymm8, %xmm6
	vmovd	%xmm6, %edx
	testl	%edx, %edx
	je	.L986
	vextractf32x4	$3, %zmm7, %xmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
.L986:
	cmpq	$13, %rbx
	jle	.L972
	valignd	$5, %ymm8, %ymm8, %ymm6
	vmovd	%xmm6, %edx
	testl	%edx, %edx
	je	.L987
	valignd	$13, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
.L987:
	cmpq	$14, %rbx
	jle	.L972
	valignd	$6, %ymm8, %ymm8, %ymm6
	vmovd	%xmm6, %edx
	testl	%edx, %edx
	je	.L988
	valignd	$14, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
.L988:
	cmpq	$15, %rbx
	jle	.L972
	valignd	$7, %ymm8, %ymm8, %ymm8
	vmovd	%xmm8, %esi
	testl	%esi, %esi
	je	.L972
	valignd	$15, %zmm7, %zmm7, %zmm7
	subq	$16, %rbx
	addq	$64, %rax
	vmovss	%xmm7, (%r15,%r12,4)
	addq	$1, %r12
	cmpq	%rcx, %rbx
	jne	.L990
.L1046:
	leaq	64(%rsp), %r11
	vmovsd	%xmm0, %xmm0, %xmm27
	.p2align 4,,10
	.p2align 3
.L1043:
	testq	%r12, %r12
	je	.L1199
	leaq	-1(%r12), %r10
	movq	%r12, %rbx
	cmpq	$14, %r10
	jbe	.L1047
	movq	%r12, %rdx
	movl	$2147483647, %ecx
	movq	%r15, %rax
	shrq	$4, %rdx
	vpxor	%xmm1, %xmm1, %xmm1
	vpbroadcastd	%ecx, %zmm2
	salq	$6, %rdx
	addq	%r15, %rdx
	.p2align 4,,10
	.p2align 3
.L993:
	vpminsd	(%rax), %zmm2, %zmm2
	vpmaxsd	(%rax), %zmm1, %zmm1
	addq	$64, %rax
	cmpq	%rdx, %rax
	jne	.L993
	vextracti32x8	$0x1, %zmm1, %ymm6
	movq	%r12, %rdx
	vpmaxsd	%ymm1, %ymm6, %ymm7
	andq	$-16, %rdx
	vextracti128	$0x1, %ymm7, %xmm4
	movq	%rdx, %rsi
	vpmaxsd	%xmm7, %xmm4, %xmm4
	vpsrldq	$8, %xmm4, %xmm7
	vpmaxsd	%xmm7, %xmm4, %xmm4
	vpsrldq	$4, %xmm4, %xmm7
	vpmaxsd	%xmm7, %xmm4, %xmm4
	vmovd	%xmm4, %eax
	vextracti32x8	$0x1, %zmm2, %ymm4
	vpminsd	%ymm2, %ymm4, %ymm9
	vmovd	%eax, %xmm8
	vpminsd	%ymm2, %ymm4, %ymm4
	vextracti128	$0x1, %ymm9, %xmm7
	vpmaxsd	%ymm1, %ymm6, %ymm2
	vpminsd	%xmm9, %xmm7, %xmm7
	vpsrldq	$8, %xmm7, %xmm9
	vpminsd	%xmm9, %xmm7, %xmm7
	vpsrldq	$4, %xmm7, %xmm9
	vpminsd	%xmm9, %xmm7, %xmm7
	vmovd	%xmm7, %r13d
	vmovd	%r13d, %xmm7
	cmpq	%r12, %rdx
	je	.L994
.L992:
	movq	%r12, %rcx
	subq	%rsi, %rcx
	leaq	-1(%rcx), %rax
	cmpq	$6, %rax
	jbe	.L995
	vmovups	(%r15,%rsi,4), %ymm1
	movq	%rcx, %rsi
	andq	$-8, %rsi
	vpmaxsd	%ymm1, %ymm2, %ymm2
	vpminsd	%ymm1, %ymm4, %ymm4
	addq	%rsi, %rdx
	andl	$7, %ecx
	vextracti128	$0x1, %ymm2, %xmm1
	vpmaxsd	%xmm2, %xmm1, %xmm1
	vpsrldq	$8, %xmm1, %xmm2
	vpmaxsd	%xmm2, %xmm1, %xmm1
	vpsrldq	$4, %xmm1, %xmm2
	vpmaxsd	%xmm2, %xmm1, %xmm1
	vextracti128	$0x1, %ymm4, %xmm2
	vpminsd	%xmm4, %xmm2, %xmm2
	vmovd	%xmm1, %eax
	vpsrldq	$8, %xmm2, %xmm1
	vmovd	%eax, %xmm8
	vpminsd	%xmm1, %xmm2, %xmm2
	vpsrldq	$4, %xmm2, %xmm1
	vpminsd	%xmm1, %xmm2, %xmm2
	vmovd	%xmm2, %r13d
	vmovd	%r13d, %xmm7
	je	.L994
.L995:
	vmovd	(%r15,%rdx,4), %xmm1
	leaq	1(%rdx), %rsi
	leaq	0(,%rdx,4), %rcx
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L994
	vmovd	4(%r15,%rcx), %xmm1
	leaq	2(%rdx), %rsi
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L994
	vmovd	8(%r15,%rcx), %xmm1
	leaq	3(%rdx), %rsi
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L994
	vmovd	12(%r15,%rcx), %xmm1
	leaq	4(%rdx), %rsi
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L994
	vmovd	16(%r15,%rcx), %xmm1
	leaq	5(%rdx), %rsi
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L994
	vmovd	20(%r15,%rcx), %xmm1
	addq	$6, %rdx
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rdx, %r12
	jle	.L994
	vmovd	24(%r15,%rcx), %xmm1
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
.L994:
	cmpl	%eax, %r13d
	je	.L1200
	vpsubd	%xmm7, %xmm8, %xmm1
	vmovd	%xmm1, %eax
	cmpl	$1023, %eax
	jle	.L1048
	movl	$1, %ecx
	.p2align 4,,10
	.p2align 3
.L1000:
	movl	%eax, %r14d
	movl	%ecx, %r9d
	sarl	%cl, %r14d
	addl	$1, %ecx
	cmpl	$1023, %r14d
	jg	.L1000
.L999:
	movq	%r11, 16(%rsp)
	xorl	%esi, %esi
	movl	$16384, %edx
	movq	%r8, 24(%rsp)
	movq	%r10, 40(%rsp)
	movl	%r9d, 56(%rsp)
	vmovsd	%xmm27, 32(%rsp)
	vmovsd	%xmm3, 48(%rsp)
	vzeroupper
	call	memset@PLT
	movq	40(%rsp), %r10
	movslq	56(%rsp), %rcx
	movq	%rax, %rdi
	movq	8(%rsp), %rax
	leaq	-16(%r12), %rsi
	vbroadcastss	.LC29(%rip), %zmm17
	andq	$-16, %r10
	movq	24(%rsp), %r8
	movq	%rcx, %r9
	vbroadcastss	.LC53(%rip), %zmm16
	vbroadcastss	(%rax), %zmm20
	movq	16(%rsp), %r11
	vpbroadcastd	%r13d, %zmm18
	subq	%r10, %rsi
	vbroadcastss	4(%rax), %zmm19
	vmovq	%rcx, %xmm4
	movq	%r15, %rax
	vbroadcastss	.LC31(%rip), %zmm15
	vbroadcastss	.LC33(%rip), %zmm14
	vpxord	%xmm21, %xmm21, %xmm21
	vbroadcastss	.LC35(%rip), %zmm13
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	vbroadcastss	.LC37(%rip), %zmm12
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm10
	vbroadcastss	.LC43(%rip), %zmm9
	vmovsd	32(%rsp), %xmm27
	vmovsd	48(%rsp), %xmm3
	vbroadcastss	.LC45(%rip), %zmm8
	vbroadcastss	.LC47(%rip), %zmm7
	vbroadcastss	.LC49(%rip), %zmm6
	jmp	.L1010
	.p2align 4,,10
	.p2align 3
.L1202:
	vmovups	(%rax), %zmm2
.L1002:
	vmulps	%zmm20, %zmm2, %zmm0
	vmovaps	%zmm12, %zmm1
	vcmpps	$2, %zmm19, %zmm2, %k1
	vpsubd	%zmm18, %zmm2, %zmm2
	vpsrad	%xmm4, %zmm2, %zmm2
	vmovd	%xmm2, %edx
	vxorps	%zmm16, %zmm0, %zmm0
	movslq	%edx, %rdx
	vmaxps	%zmm0, %zmm17, %zmm0
	vmulps	%zmm15, %zmm0, %zmm22
	vrndscaleps	$8, %zmm22, %zmm22
	vfmadd231ps	%zmm14, %zmm22, %zmm0
	vfmadd231ps	%zmm13, %zmm22, %zmm0
	vmulps	%zmm0, %zmm0, %zmm23
	vfmadd132ps	%zmm0, %zmm11, %zmm1
	vfmadd132ps	%zmm0, %zmm10, %zmm1
	vfmadd132ps	%zmm0, %zmm9, %zmm1
	vfmadd132ps	%zmm0, %zmm8, %zmm1
	vfmadd132ps	%zmm0, %zmm7, %zmm1
	vfmadd231ps	%zmm23, %zmm1, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k1
	vaddps	%zmm6, %zmm0, %zmm0
	vscalefps	%zmm22, %zmm0, %zmm23{%k1}{z}
	vcvtss2sd	%xmm23, %xmm23, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$1, %rbx
	jle	.L1009
	vpextrd	$1, %xmm2, %edx
	vshufps	$85, %xmm23, %xmm23, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	cmpq	$2, %rbx
	jle	.L1009
	vpextrd	$2, %xmm2, %edx
	vunpckhps	%xmm23, %xmm23, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$3, %rbx
	jle	.L1009
	vpextrd	$3, %xmm2, %edx
	vshufps	$255, %xmm23, %xmm23, %xmm1
	vcvtss2sd	%xmm1, %xmm1, %xmm1
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm1, %xmm1
	vmovsd	%xmm1, 16512(%rsp,%rdx,8)
	cmpq	$4, %rbx
	jle	.L1009
	vextracti32x4	$1, %ymm2, %xmm1
	vextracti32x4	$0x1, %ymm2, %xmm25
	vextractf32x4	$1, %ymm23, %xmm22
	vmovd	%xmm1, %edx
	vextractf32x4	$0x1, %ymm23, %xmm1
	movslq	%edx, %rdx
	vcvtss2sd	%xmm22, %xmm22, %xmm22
	vaddsd	8320(%rsp,%rdx,8), %xmm22, %xmm22
	vmovsd	%xmm22, 8320(%rsp,%rdx,8)
	cmpq	$5, %rbx
	jle	.L1009
	vpextrd	$1, %xmm25, %edx
	vshufps	$85, %xmm1, %xmm1, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	cmpq	$6, %rbx
	jle	.L1009
	vpextrd	$2, %xmm25, %edx
	vunpckhps	%xmm1, %xmm1, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$7, %rbx
	jle	.L1009
	vpextrd	$3, %xmm25, %edx
	vshufps	$255, %xmm1, %xmm1, %xmm1
	vcvtss2sd	%xmm1, %xmm1, %xmm1
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm1, %xmm1
	vmovsd	%xmm1, 16512(%rsp,%rdx,8)
	cmpq	$8, %rbx
	jle	.L1009
	vextracti32x8	$0x1, %zmm2, %ymm2
	vextractf32x8	$0x1, %zmm23, %ymm23
	vmovd	%xmm2, %edx
	vcvtss2sd	%xmm23, %xmm23, %xmm0
	movslq	%edx, %rdx
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$9, %rbx
	jle	.L1009
	vpextrd	$1, %xmm2, %edx
	vshufps	$85, %xmm23, %xmm23, %xmm1
	vcvtss2sd	%xmm1, %xmm1, %xmm1
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm1, %xmm1
	vmovsd	%xmm1, 16512(%rsp,%rdx,8)
	cmpq	$10, %rbx
	jle	.L1009
	vpextrd	$2, %xmm2, %edx
	vunpckhps	%xmm23, %xmm23, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$11, %rbx
	jle	.L1009
	vpextrd	$3, %xmm2, %edx
	vshufps	$255, %xmm23, %xmm23, %xmm1
	vcvtss2sd	%xmm1, %xmm1, %xmm1
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm1, %xmm1
	vmovsd	%xmm1, 16512(%rsp,%rdx,8)
	cmpq	$12, %rbx
	jle	.L1009
	vextracti32x4	$0x1, %ymm2, %xmm22
	vextractf32x4	$0x1, %ymm23, %xmm1
	vextracti32x4	$1, %ymm2, %xmm2
	vextractf32x4	$1, %ymm23, %xmm23
	vmovd	%xmm2, %edx
	movslq	%edx, %rdx
	vcvtss2sd	%xmm23, %xmm23, %xmm23
	vaddsd	8320(%rsp,%rdx,8), %xmm23, %xmm23
	vmovsd	%xmm23, 8320(%rsp,%rdx,8)
	cmpq	$13, %rbx
	jle	.L1009
	vpextrd	$1, %xmm22, %edx
	vshufps	$85, %xmm1, %xmm1, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	cmpq	$14, %rbx
	jle	.L1009
	vpextrd	$2, %xmm22, %edx
	vunpckhps	%xmm1, %xmm1, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$15, %rbx
	jle	.L1009
	vpextrd	$3, %xmm22, %edx
	vshufps	$255, %xmm1, %xmm1, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	.p2align 4,,10
	.p2align 3
.L1009:
	subq	$16, %rbx
	addq	$64, %rax
	cmpq	%rsi, %rbx
	je	.L1201
.L1010:
	cmpq	$15, %rbx
	jg	.L1202
	movl	$16, %edx
	vmovdqa64	%zmm21, 64(%rsp)
	movq	%r11, %r10
	movq	%rax, %rcx
	cmpq	%rdx, %rbx
	cmovle	%rbx, %rdx
	salq	$2, %rdx
	cmpl	$8, %edx
	jnb	.L1203
.L1003:
	andl	$4, %edx
	je	.L1008
	movl	(%rcx), %edx
	movl	%edx, (%r10)
.L1008:
	vmovaps	64(%rsp), %zmm2
	jmp	.L1002
.L964:
	movl	$16, %esi
	movq	%rdi, %r9
	movq	%rax, %rdx
	vmovdqa64	%zmm11, 8320(%rsp)
	cmpq	%rsi, %rbx
	cmovle	%rbx, %rsi
	salq	$2, %rsi
	cmpl	$8, %esi
	jnb	.L1204
.L966:
	andl	$4, %esi
	je	.L971
	movl	(%rdx), %edx
	movl	%edx, (%r9)
.L971:
	vmovaps	8320(%rsp), %zmm7
	jmp	.L965
.L1190:
	movl	%edx, %r13d
	xorl	%r9d, %r9d
	andl	$-8, %r13d
.L953:
	movl	%r9d, %r10d
	addl	$8, %r9d
	movq	(%rcx,%r10), %r11
	movq	%r11, (%r8,%r10)
	cmpl	%r13d, %r9d
	jb	.L953
	leaq	(%r8,%r9), %r10
	addq	%rcx, %r9
	jmp	.L952
.L1201:
	leaq	16512(%rsp), %rbx
.L997:
	movq	%rdi, %rax
	movq	%r8, %rdx
	.p2align 4,,10
	.p2align 3
.L1011:
	vmovapd	8192(%rax), %zmm6
	vaddpd	(%rax), %zmm6, %zmm1
	addq	$64, %rax
	addq	$64, %rdx
	vmovapd	%zmm1, -64(%rdx)
	cmpq	%rax, %rbx
	jne	.L1011
	xorl	%eax, %eax
	jmp	.L1013
	.p2align 4,,10
	.p2align 3
.L1205:
	addq	$1, %rax
	cmpq	$1024, %rax
	je	.L1044
.L1013:
	vmovq	%xmm27, %rdx
	vaddsd	(%r8,%rax,8), %xmm27, %xmm27
	vcomisd	%xmm3, %xmm27
	jb	.L1205
	movl	%eax, %r14d
	vmovq	%rdx, %xmm27
.L1044:
	testq	%r12, %r12
	je	.L991
	leaq	-1(%r12), %rcx
	leaq	-16(%r12), %r10
	movslq	%r9d, %rsi
	movq	%r12, %rax
	andq	$-16, %rcx
	vpbroadcastd	%r13d, %zmm10
	movq	%r15, %rdx
	xorl	%r12d, %r12d
	vpbroadcastd	%r14d, %zmm9
	subq	%rcx, %r10
	vmovq	%rsi, %xmm4
	vpxor	%xmm11, %xmm11, %xmm11
	jmp	.L1041
	.p2align 4,,10
	.p2align 3
.L1023:
	subq	$16, %rax
	addq	$64, %rdx
	cmpq	%r10, %rax
	je	.L1043
.L1041:
	cmpq	$15, %rax
	jle	.L1015
	vmovups	(%rdx), %zmm8
.L1016:
	vpsubd	%zmm10, %zmm8, %zmm1
	vpsrad	%xmm4, %zmm1, %zmm1
	vpcmpd	$0, %zmm9, %zmm1, %k1
	vmovdqa32	%zmm5, %zmm6{%k1}{z}
	vpmovd2m	%zmm6, %k0
	kortestw	%k0, %k0
	je	.L1023
	vmovd	%xmm6, %ecx
	vmovdqa	%ymm6, %ymm2
	testl	%ecx, %ecx
	je	.L1024
	vmovss	%xmm8, (%r15,%r12,4)
	addq	$1, %r12
.L1024:
	cmpq	$1, %rax
	jle	.L1023
	vpextrd	$1, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L1026
	vextractps	$1, %xmm8, (%r15,%r12,4)
	addq	$1, %r12
.L1026:
	cmpq	$2, %rax
	jle	.L1023
	vpextrd	$2, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L1027
	vextractps	$2, %xmm8, (%r15,%r12,4)
	addq	$1, %r12
.L1027:
	cmpq	$3, %rax
	jle	.L1023
	vpextrd	$3, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L1028
	vextractps	$3, %xmm8, (%r15,%r12,4)
	addq	$1, %r12
.L1028:
	cmpq	$4, %rax
	jle	.L1023
	vextracti32x4	$1, %ymm2, %xmm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1029
	vextractf32x4	$1, %ymm8, %xmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1029:
	cmpq	$5, %rax
	jle	.L1023
	valignd	$5, %ymm2, %ymm2, %ymm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1030
	valignd	$5, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1030:
	cmpq	$6, %rax
	jle	.L1023
	valignd	$6, %ymm2, %ymm2, %ymm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1031
	valignd	$6, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1031:
	cmpq	$7, %rax
	jle	.L1023
	valignd	$7, %ymm2, %ymm2, %ymm2
	vmovd	%xmm2, %esi
	testl	%esi, %esi
	je	.L1032
	valignd	$7, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1032:
	cmpq	$8, %rax
	jle	.L1023
	vextracti32x8	$0x1, %zmm6, %ymm1
	vextracti32x4	$2, %zmm6, %xmm6
	vmovd	%xmm6, %esi
	testl	%esi, %esi
	je	.L1033
	vextractf32x4	$2, %zmm8, %xmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1033:
	cmpq	$9, %rax
	jle	.L1023
	vpextrd	$1, %xmm1, %ecx
	testl	%ecx, %ecx
	je	.L1034
	valignd	$9, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1034:
	cmpq	$10, %rax
	jle	.L1023
	vpextrd	$2, %xmm1, %ecx
	testl	%ecx, %ecx
	je	.L1035
	valignd	$10, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1035:
	cmpq	$11, %rax
	jle	.L1023
	vpextrd	$3, %xmm1, %ecx
	testl	%ecx, %ecx
	je	.L1036
	valignd	$11, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1036:
	cmpq	$12, %rax
	jle	.L1023
	vextracti32x4	$1, %ymm1, %xmm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1037
	vextractf32x4	$3, %zmm8, %xmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1037:
	cmpq	$13, %rax
	jle	.L1023
	valignd	$5, %ymm1, %ymm1, %ymm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1038
	valignd	$13, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1038:
	cmpq	$14, %rax
	jle	.L1023
	valignd	$6, %ymm1, %ymm1, %ymm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1039
	valignd	$14, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1039:
	cmpq	$15, %rax
	jle	.L1023
	valignd	$7, %ymm1, %ymm1, %ymm1
	vmovd	%xmm1, %esi
	testl	%esi, %esi
	je	.L1023
	valignd	$15, %zmm8, %zmm8, %zmm8
	vmovss	%xmm8, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L1023
	.p2align 4,,10
	.p2align 3
.L1015:
	movl	$16, %ecx
	movq	%rdi, %r9
	movq	%rdx, %rsi
	vmovdqa64	%zmm11, 8320(%rsp)
	cmpq	%rcx, %rax
	cmovle	%rax, %rcx
	salq	$2, %rcx
	cmpl	$8, %ecx
	jnb	.L1206
.L1017:
	andl	$4, %ecx
	je	.L1022
	movl	(%rsi), %ecx
	movl	%ecx, (%r9)
.L1022:
	vmovaps	8320(%rsp), %zmm8
	jmp	.L1016
.L1206:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L1018:
	movl	%esi, %r9d
	addl	$8, %esi
	movq	(%rdx,%r9), %rbx
	movq	%rbx, (%rdi,%r9)
	cmpl	%r13d, %esi
	jb	.L1018
	leaq	(%rdi,%rsi), %r9
	addq	%rdx, %rsi
	jmp	.L1017
.L1203:
	movq	%rsi, 56(%rsp)
	movl	%edx, %r10d
	xorl	%ecx, %ecx
	movq	%rdx, 48(%rsp)
	andl	$-8, %r10d
.L1004:
	movl	%ecx, %edx
	addl	$8, %ecx
	movq	(%rax,%rdx), %rsi
	movq	%rsi, (%r11,%rdx)
	cmpl	%r10d, %ecx
	jb	.L1004
	leaq	(%r11,%rcx), %r10
	movq	56(%rsp), %rsi
	movq	48(%rsp), %rdx
	addq	%rax, %rcx
	jmp	.L1003
.L1199:
	leaq	16512(%rsp), %rbx
.L991:
	movq	%r11, 32(%rsp)
	xorl	%esi, %esi
	movl	$16384, %edx
	movl	$2147483647, %r13d
	movq	%r8, 40(%rsp)
	movl	$-2147483647, %r14d
	vmovsd	%xmm27, 48(%rsp)
	vmovsd	%xmm3, 56(%rsp)
	vzeroupper
	call	memset@PLT
	xorl	%r12d, %r12d
	xorl	%r9d, %r9d
	vmovsd	56(%rsp), %xmm3
	vmovsd	48(%rsp), %xmm27
	movq	%rax, %rdi
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	movq	40(%rsp), %r8
	movq	32(%rsp), %r11
	jmp	.L997
.L1200:
	vmovd	%r13d, %xmm0
.L948:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1204:
	.cfi_restore_state
	movl	%esi, %r11d
	xorl	%edx, %edx
	andl	$-8, %r11d
.L967:
	movl	%edx, %r9d
	addl	$8, %edx
	movq	(%rax,%r9), %r10
	movq	%r10, (%rdi,%r9)
	cmpl	%r11d, %edx
	jb	.L967
	leaq	(%rdi,%rdx), %r9
	addq	%rax, %rdx
	jmp	.L966
.L1047:
	movl	$2147483647, %eax
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%esi, %esi
	xorl	%edx, %edx
	vmovdqa	.LC96(%rip), %xmm7
	vpxor	%xmm2, %xmm2, %xmm2
	vpbroadcastd	%eax, %ymm4
	vmovdqa	%xmm1, %xmm8
	jmp	.L992
.L1194:
	valignd	$7, %zmm7, %zmm7, %zmm8
	vmovss	%xmm8, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L981
.L1196:
	valignd	$9, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L983
.L1195:
	vextractf32x4	$2, %zmm7, %xmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L982
.L1197:
	valignd	$10, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L984
.L1198:
	valignd	$11, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L985
.L1048:
	vmovd	%xmm1, %r14d
	xorl	%r9d, %r9d
	jmp	.L999
.L1191:
	vmovss	.LC93(%rip), %xmm0
	jmp	.L948
.L1193:
	xorl	%r12d, %r12d
	jmp	.L1046
	.cfi_endproc
.LFE7073:
	.size	_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_10MassWeightEEEfPKflRKT_fPf, .-_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_10MassWeightEEEfPKflRKT_fPf
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_118linear_block_bytesINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEmRKNS_12LinearParamsEl, @function
_ZN10torchpaged12_GLOBAL__N_118linear_block_bytesINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEmRKNS_12LinearParamsEl:
.LFB6960:
	.cfi_startproc
	movl	12(%rdi), %ecx
	movq	80(%rdi), %rax
	cmpl	$5, %ecx
	je	.L1211
	xorl	%edx, %edx
	movq	%rax, %rdi
	addq	%rax, %rax
	cmpl	$2, %ecx
	cmovne	%rdi, %rax
	imulq	%rax, %rsi
	leaq	64(%rdx,%rsi,4), %rax
	ret
	.p2align 4,,10
	.p2align 3
.L1211:
	movq	%rax, %rcx
	leaq	62(%rax), %rdx
	addq	$31, %rcx
	cmovns	%rcx, %rdx
	sarq	$5, %rdx
	imulq	%rsi, %rdx
	imulq	%rax, %rsi
	leaq	63(,%rdx,8), %rdx
	movq	%rdx, %rdi
	sarq	$63, %rdi
	shrq	$58, %rdi
	leaq	(%rdx,%rdi), %rcx
	andl	$63, %ecx
	subq	%rdi, %rcx
	subq	%rcx, %rdx
	leaq	64(%rdx,%rsi,4), %rax
	ret
	.cfi_endproc
.LFE6960:
	.size	_ZN10torchpaged12_GLOBAL__N_118linear_block_bytesINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEmRKNS_12LinearParamsEl, .-_ZN10torchpaged12_GLOBAL__N_118linear_block_bytesINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEmRKNS_12LinearParamsEl
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE16finish_partitionEi, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE16finish_partitionEi:
.LFB7094:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 14, -24
	.cfi_offset 13, -32
	.cfi_offset 12, -40
	.cfi_offset 3, -48
	movq	%rdi, %rbx
	movl	200(%rdi), %edi
	andq	$-64, %rsp
	testl	%edi, %edi
	jle	.L1217
	movq	80(%rbx), %rax
	movslq	%edi, %rcx
	movq	72(%rbx), %rdx
	salq	$6, %rcx
	addq	%rax, %rcx
	.p2align 4,,10
	.p2align 3
.L1216:
	vmovupd	(%rax), %zmm4
	addq	$64, %rax
	addq	$4, %rdx
	vextractf64x4	$0x1, %zmm4, %ymm0
	vaddps	%ymm4, %ymm0, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vaddps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vaddps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vshufps	$85, %xmm0, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm1
	vmovss	%xmm1, -4(%rdx)
	cmpq	%rax, %rcx
	jne	.L1216
.L1217:
	movq	8(%rbx), %rax
	movq	64(%rbx), %r9
	movq	32(%rax), %rdx
	testq	%rdx, %rdx
	je	.L1248
	subl	48(%rax), %esi
	movq	192(%rbx), %rax
	imull	%edi, %esi
	addq	$2, %rax
	movslq	%esi, %rsi
	imulq	%rax, %rsi
	leaq	(%rdx,%rsi,4), %r12
	movslq	%edi, %rdx
	movq	%r9, %rsi
	salq	$2, %rdx
	movq	%r12, %rdi
	vzeroupper
	call	memcpy@PLT
	movslq	200(%rbx), %rdx
	movq	72(%rbx), %rsi
	salq	$2, %rdx
	leaq	(%r12,%rdx), %rdi
	call	memcpy@PLT
	movl	200(%rbx), %eax
	movq	88(%rbx), %rsi
	leal	(%rax,%rax), %edx
	movslq	%edx, %rdx
	leaq	(%r12,%rdx,4), %rdi
	movslq	%eax, %rdx
	imulq	192(%rbx), %rdx
	leaq	-32(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	salq	$2, %rdx
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	jmp	memcpy@PLT
	.p2align 4,,10
	.p2align 3
.L1248:
	.cfi_restore_state
	movq	72(%rbx), %r10
	movq	88(%rbx), %r11
	cmpl	%esi, 20(%rax)
	jne	.L1218
	vmovq	80(%rbx), %xmm2
	vmovq	%r9, %xmm3
	vmovdqu	96(%rbx), %ymm5
	vpinsrq	$1, %r10, %xmm3, %xmm0
	vpinsrq	$1, %r11, %xmm2, %xmm1
	vmovdqu	%ymm5, 64(%rbx)
	vinserti128	$0x1, %xmm1, %ymm0, %ymm0
	vmovdqu	%ymm0, 96(%rbx)
.L1246:
	vzeroupper
	leaq	-32(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L1218:
	.cfi_restore_state
	testl	%edi, %edi
	jle	.L1246
	vmovss	.LC27(%rip), %xmm13
	xorl	%edi, %edi
	xorl	%r8d, %r8d
	vbroadcastss	.LC29(%rip), %zmm12
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm2
	vbroadcastss	.LC43(%rip), %zmm3
	vbroadcastss	.LC45(%rip), %zmm4
	vbroadcastss	.LC47(%rip), %zmm5
	vbroadcastss	.LC49(%rip), %zmm6
	.p2align 4,,10
	.p2align 3
.L1220:
	movq	104(%rbx), %r12
	movq	96(%rbx), %r13
	leaq	0(,%rdi,4), %r14
	movq	%rdi, %rcx
	vmovss	(%r9,%rdi,4), %xmm0
	movq	192(%rbx), %rsi
	leaq	(%r12,%r14), %rax
	addq	%r13, %r14
	vmovss	(%r10,%rdi,4), %xmm15
	movq	120(%rbx), %rdx
	vmovss	(%r14), %xmm1
	imulq	%rsi, %rcx
	vmaxss	%xmm0, %xmm1, %xmm14
	vucomiss	%xmm14, %xmm13
	ja	.L1222
	vsubss	%xmm14, %xmm1, %xmm1
	vsubss	%xmm14, %xmm0, %xmm0
.L1222:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm10, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm14, (%r14)
	vmaxps	%zmm1, %zmm12, %zmm1
	vmaxps	%zmm0, %zmm12, %zmm0
	vmulps	%zmm7, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm2, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm7, %zmm0, %zmm17
	vmovaps	%zmm10, %zmm1
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm0
	vfmadd231ps	%zmm9, %zmm17, %zmm0
	vmulps	%zmm0, %zmm0, %zmm18
	vfmadd132ps	%zmm0, %zmm11, %zmm1
	vfmadd132ps	%zmm0, %zmm2, %zmm1
	vfmadd132ps	%zmm0, %zmm3, %zmm1
	vfmadd132ps	%zmm0, %zmm4, %zmm1
	vfmadd132ps	%zmm0, %zmm5, %zmm1
	vfmadd132ps	%zmm18, %zmm0, %zmm1
	vmulss	(%rax), %xmm16, %xmm0
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vmulss	%xmm15, %xmm1, %xmm14
	vaddss	%xmm14, %xmm0, %xmm0
	vmovss	%xmm0, (%rax)
	testq	%rsi, %rsi
	jle	.L1249
	salq	$2, %rcx
	vbroadcastss	%xmm16, %zmm14
	vbroadcastss	%xmm1, %zmm1
	xorl	%eax, %eax
	addq	%rcx, %rdx
	addq	%r11, %rcx
	.p2align 4,,10
	.p2align 3
.L1233:
	vmulps	(%rdx,%rax,4), %zmm14, %zmm0
	vfmadd231ps	(%rcx,%rax,4), %zmm1, %zmm0
	vmovups	%zmm0, (%rdx,%rax,4)
	addq	$16, %rax
	cmpq	%rax, %rsi
	jg	.L1233
	addl	$1, %r8d
	cmpl	200(%rbx), %r8d
	jge	.L1246
	addq	$1, %rdi
	jmp	.L1220
	.p2align 4,,10
	.p2align 3
.L1249:
	movl	200(%rbx), %esi
	leal	1(%r8), %eax
	cmpl	%esi, %eax
	jge	.L1246
	cltq
.L1226:
	leaq	0(,%rax,4), %rdx
	vmovss	(%r9,%rax,4), %xmm0
	vmovss	(%r10,%rax,4), %xmm14
	leaq	(%r12,%rdx), %rcx
	addq	%r13, %rdx
	vmovss	(%rdx), %xmm1
	vmaxss	%xmm0, %xmm1, %xmm15
	vucomiss	%xmm15, %xmm13
	ja	.L1231
	vsubss	%xmm15, %xmm1, %xmm1
	vsubss	%xmm15, %xmm0, %xmm0
.L1231:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm10, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm15, (%rdx)
	vmaxps	%zmm1, %zmm12, %zmm1
	vmaxps	%zmm0, %zmm12, %zmm0
	addq	$1, %rax
	vmulps	%zmm7, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm2, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm7, %zmm0, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm0
	vmovaps	%zmm0, %zmm1
	vmovaps	%zmm10, %zmm0
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm0
	vfmadd132ps	%zmm1, %zmm2, %zmm0
	vfmadd132ps	%zmm1, %zmm3, %zmm0
	vfmadd132ps	%zmm1, %zmm4, %zmm0
	vfmadd132ps	%zmm1, %zmm5, %zmm0
	vfmadd132ps	%zmm18, %zmm1, %zmm0
	vmulss	(%rcx), %xmm16, %xmm1
	vaddps	%zmm6, %zmm0, %zmm0
	vscalefps	%zmm17, %zmm0, %zmm0
	vmulss	%xmm14, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm1
	vmovss	%xmm1, (%rcx)
	cmpl	%eax, %esi
	jg	.L1226
	jmp	.L1246
	.cfi_endproc
.LFE7094:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE16finish_partitionEi, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE16finish_partitionEi
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0:
.LFB7606:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$520, %rsp
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %rdx
	movq	(%rax), %rsi
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%rdx), %r8
	testq	%rdx, %rdx
	movq	%rdx, %rax
	vmovups	%zmm0, 96(%rsp)
	cmovs	%r8, %rax
	leaq	254(%rdx), %rcx
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vmovups	%zmm0, 288(%rsp)
	movq	%rax, %r9
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %r9
	testq	%r8, %r8
	vmovups	%zmm0, 416(%rsp)
	cmovns	%r8, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %rdx
	jle	.L1255
	movq	%rax, %r8
	negq	%r8
	leaq	-56(%rsp,%r8,4), %r8
	.p2align 4,,10
	.p2align 3
.L1254:
	vmovss	(%rsi,%rax,4), %xmm0
	vmovss	%xmm0, 24(%r8,%rax,4)
	addq	$1, %rax
	vmovss	%xmm0, -120(%rsp)
	cmpq	%rax, %rdx
	jne	.L1254
.L1255:
	xorl	%eax, %eax
	testq	%rdx, %rdx
	jle	.L1250
	movq	8(%rdi), %rax
	movq	(%rax), %r8
	movq	16(%rdi), %rax
	vmovss	(%rax), %xmm3
	vbroadcastss	%xmm3, %zmm4
	cmpq	$127, %rdx
	jle	.L1262
	cmpq	%rcx, %r9
	movl	$1, %edi
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	cmovg	%rcx, %r9
	vpbroadcastd	%edi, %zmm6
	xorl	%eax, %eax
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L1258:
	vmovss	(%r8,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1257
	vcmpps	$1, (%rsi), %zmm4, %k1
	vmovdqa32	%zmm6, %zmm0{%k1}{z}
	vcmpps	$1, 64(%rsi), %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 128(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 192(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 256(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 320(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 384(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 448(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vextracti32x4	$1, %ymm0, %xmm7
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$5, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	valignd	$6, %ymm0, %ymm0, %ymm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$7, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	vextracti32x8	$0x1, %zmm0, %ymm0
	valignd	$5, %ymm0, %ymm0, %ymm2
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	vextracti32x4	$1, %ymm0, %xmm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$6, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rdi, %rax
	vmovd	%xmm2, %edi
	valignd	$7, %ymm0, %ymm0, %ymm2
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	cltq
	addq	%rax, %rdi
	vmovd	%xmm2, %eax
	cltq
	addq	%rdi, %rax
.L1257:
	addq	$1, %rdx
	addq	$512, %rsi
	cmpq	%r9, %rdx
	jl	.L1258
	cmpq	%rcx, %rdx
	jge	.L1250
.L1256:
	vpternlogd	$0xFF, %zmm0, %zmm0, %zmm0
	movl	$1, %esi
	vcmpps	$1, 352(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vcmpps	$1, 288(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm5{%k1}{z}
	vcmpps	$1, 224(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm6{%k1}{z}
	vcmpps	$1, 160(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm7{%k1}{z}
	vcmpps	$1, 96(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm8{%k1}{z}
	vcmpps	$1, 32(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm9{%k1}{z}
	vcmpps	$1, -32(%rsp), %zmm4, %k1
	vpbroadcastd	%esi, %zmm2{%k1}{z}
	vcmpps	$1, 416(%rsp), %zmm4, %k1
	vpsubd	%zmm9, %zmm2, %zmm2
	vpsubd	%zmm8, %zmm2, %zmm2
	vpsubd	%zmm7, %zmm2, %zmm2
	vpsubd	%zmm6, %zmm2, %zmm2
	vpsubd	%zmm5, %zmm2, %zmm2
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovd	%xmm2, %r9d
	vpextrd	$1, %xmm2, %edi
	vmovdqa	%ymm2, %ymm4
	vmovdqa	%xmm2, %xmm5
	movslq	%r9d, %r9
	movslq	%edi, %rdi
	.p2align 4,,10
	.p2align 3
.L1260:
	vmovss	(%r8,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1259
	vextracti32x4	$1, %ymm4, %xmm6
	addq	%r9, %rax
	vpextrd	$2, %xmm5, %esi
	vextracti32x8	$0x1, %zmm2, %ymm1
	valignd	$6, %ymm1, %ymm1, %ymm7
	addq	%rdi, %rax
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm5, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$6, %ymm4, %ymm4, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$7, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	vextracti32x4	$1, %ymm1, %xmm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$1, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vpextrd	$2, %xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm1, %ymm1, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$7, %ymm1, %ymm1, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm7, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	cltq
	addq	%rsi, %rax
.L1259:
	addq	$1, %rdx
	cmpq	%rdx, %rcx
	jg	.L1260
.L1250:
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1262:
	.cfi_restore_state
	xorl	%eax, %eax
	xorl	%edx, %edx
	jmp	.L1256
	.cfi_endproc
.LFE7606:
	.size	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0:
.LFB7608:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$584, %rsp
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rdx
	movq	16(%rdx), %rax
	movq	(%rdx), %rbx
	vmovups	%zmm0, 32(%rsp)
	vmovups	%zmm0, 96(%rsp)
	leaq	127(%rax), %rdx
	testq	%rax, %rax
	movq	%rax, %r15
	movq	%rbx, 8(%rsp)
	cmovs	%rdx, %r15
	leaq	254(%rax), %r9
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vmovups	%zmm0, 288(%rsp)
	sarq	$7, %r15
	testq	%rdx, %rdx
	cmovns	%rdx, %r9
	movq	%r15, %rdx
	movq	%r15, 16(%rsp)
	vmovups	%zmm0, 352(%rsp)
	salq	$7, %rdx
	vmovups	%zmm0, 416(%rsp)
	sarq	$7, %r9
	movq	%r9, 24(%rsp)
	vmovups	%zmm0, 480(%rsp)
	cmpq	%rdx, %rax
	jle	.L1272
	movq	%rdx, %rcx
	negq	%rcx
	leaq	8(%rsp,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L1271:
	vmovss	(%rbx,%rdx,4), %xmm0
	vmovss	%xmm0, 24(%rcx,%rdx,4)
	addq	$1, %rdx
	vmovss	%xmm0, -56(%rsp)
	cmpq	%rdx, %rax
	jne	.L1271
.L1272:
	xorl	%edx, %edx
	testq	%rax, %rax
	jle	.L1267
	movq	8(%r13), %rdx
	movq	16(%r13), %rsi
	movq	(%rdx), %r14
	cmpq	$127, %rax
	jle	.L1313
	cmpq	%r9, %r15
	movl	$143, %r11d
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	cmovg	%r9, %r15
	xorl	%r12d, %r12d
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	.p2align 4,,10
	.p2align 3
.L1292:
	vmovss	(%rsi), %xmm0
	vmovss	(%r14,%r8,4), %xmm1
	vucomiss	%xmm0, %xmm1
	jnb	.L1517
.L1274:
	addq	$1, %r8
	subq	$-128, %r11
	subq	$-128, %r12
	addq	$512, %rbx
	cmpq	%r15, %r8
	jl	.L1292
	cmpq	%r9, %r8
	jge	.L1267
.L1273:
	movq	%r8, %rbx
	leaq	480(%rsp), %r11
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	salq	$7, %rbx
	jmp	.L1311
	.p2align 4,,10
	.p2align 3
.L1293:
	addq	$1, %r8
	subq	$-128, %rbx
	cmpq	%r8, %r9
	jle	.L1267
.L1311:
	vmovss	(%rsi), %xmm0
	vmovss	(%r14,%r8,4), %xmm1
	vucomiss	%xmm0, %xmm1
	jb	.L1293
	leaq	32(%rsp), %rdi
	leaq	15(%rbx), %rcx
	movl	%ebx, %r10d
	jmp	.L1310
	.p2align 4,,10
	.p2align 3
.L1294:
	addq	$16, %rcx
	addl	$16, %r10d
	cmpq	%rdi, %r11
	je	.L1293
	vmovss	(%rsi), %xmm0
	addq	$64, %rdi
.L1310:
	vmovups	(%rdi), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L1294
	leaq	-15(%rcx), %r12
	vmovaps	%ymm2, %ymm1
	cmpq	%r12, %rax
	jle	.L1295
	vcomiss	%xmm0, %xmm2
	jb	.L1295
	movq	24(%r13), %r12
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r10d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1295:
	leaq	-14(%rcx), %r12
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1296
	vcomiss	%xmm0, %xmm3
	jb	.L1296
	movq	24(%r13), %r12
	leal	1(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1296:
	leaq	-13(%rcx), %r12
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1297
	vcomiss	%xmm0, %xmm3
	jb	.L1297
	movq	24(%r13), %r12
	leal	2(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1297:
	leaq	-12(%rcx), %r12
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1298
	vcomiss	%xmm0, %xmm3
	jb	.L1298
	movq	24(%r13), %r12
	leal	3(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1298:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	-11(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1299
	vcomiss	%xmm0, %xmm3
	jb	.L1299
	movq	24(%r13), %r12
	leal	4(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1299:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	-10(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1300
	vcomiss	%xmm0, %xmm3
	jb	.L1300
	movq	24(%r13), %r12
	leal	5(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1300:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	-9(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1301
	vcomiss	%xmm0, %xmm3
	jb	.L1301
	movq	24(%r13), %r12
	leal	6(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1301:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	-8(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1302
	vcomiss	%xmm0, %xmm1
	jb	.L1302
	movq	24(%r13), %r12
	leal	7(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm1, (%r12)
	vmovss	(%rsi), %xmm0
.L1302:
	leaq	-7(%rcx), %r12
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r12, %rax
	jle	.L1303
	vcomiss	%xmm0, %xmm2
	jb	.L1303
	movq	24(%r13), %r12
	leal	8(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1303:
	leaq	-6(%rcx), %r12
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1304
	vcomiss	%xmm0, %xmm2
	jb	.L1304
	movq	24(%r13), %r12
	leal	9(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1304:
	leaq	-5(%rcx), %r12
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1305
	vcomiss	%xmm0, %xmm2
	jb	.L1305
	movq	24(%r13), %r12
	leal	10(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1305:
	leaq	-4(%rcx), %r12
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1306
	vcomiss	%xmm0, %xmm2
	jb	.L1306
	movq	24(%r13), %r12
	leal	11(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1306:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	-3(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1307
	vcomiss	%xmm0, %xmm2
	jb	.L1307
	movq	24(%r13), %r12
	leal	12(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1307:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	-2(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1308
	vcomiss	%xmm0, %xmm2
	jb	.L1308
	movq	24(%r13), %r12
	leal	13(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1308:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	-1(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1309
	vcomiss	%xmm0, %xmm2
	jb	.L1309
	movq	24(%r13), %r12
	leal	14(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1309:
	valignd	$7, %ymm1, %ymm1, %ymm1
	cmpq	%rcx, %rax
	jle	.L1294
	vcomiss	%xmm0, %xmm1
	jb	.L1294
	movq	24(%r13), %r12
	leal	15(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm1, (%r12)
	jmp	.L1294
.L1267:
	vzeroupper
	leaq	-40(%rbp), %rsp
	movq	%rdx, %rax
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1313:
	.cfi_restore_state
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	jmp	.L1273
.L1517:
	movq	%r8, -64(%rsp)
	leaq	-128(%r11), %rcx
	movl	%r12d, %edi
	movq	%rbx, %r10
	vmovq	%r14, %xmm5
	jmp	.L1291
	.p2align 4,,10
	.p2align 3
.L1275:
	addq	$16, %rcx
	addq	$64, %r10
	addl	$16, %edi
	cmpq	%rcx, %r11
	je	.L1515
.L1518:
	vmovss	(%rsi), %xmm0
.L1291:
	vmovups	(%r10), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L1275
	leaq	-15(%rcx), %r14
	vmovaps	%ymm2, %ymm1
	cmpq	%r14, %rax
	jle	.L1276
	vcomiss	%xmm0, %xmm2
	jb	.L1276
	movq	24(%r13), %r14
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%edi, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1276:
	leaq	-14(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1277
	vcomiss	%xmm0, %xmm3
	jb	.L1277
	movq	24(%r13), %r14
	leal	1(%rdi), %r8d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1277:
	leaq	-13(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1278
	vcomiss	%xmm0, %xmm3
	jb	.L1278
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	2(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1278:
	leaq	-12(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1279
	vcomiss	%xmm0, %xmm3
	jb	.L1279
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	3(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1279:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	-11(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1280
	vcomiss	%xmm0, %xmm3
	jb	.L1280
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	4(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1280:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	-10(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1281
	vcomiss	%xmm0, %xmm3
	jb	.L1281
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	5(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1281:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	-9(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1282
	vcomiss	%xmm0, %xmm3
	jb	.L1282
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	6(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1282:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	-8(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1283
	vcomiss	%xmm0, %xmm1
	jb	.L1283
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	7(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm1, (%r14)
	vmovss	(%rsi), %xmm0
.L1283:
	leaq	-7(%rcx), %r14
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r14, %rax
	jle	.L1284
	vcomiss	%xmm0, %xmm2
	jb	.L1284
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	8(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1284:
	leaq	-6(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1285
	vcomiss	%xmm0, %xmm2
	jb	.L1285
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	9(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1285:
	leaq	-5(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1286
	vcomiss	%xmm0, %xmm2
	jb	.L1286
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	10(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1286:
	leaq	-4(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1287
	vcomiss	%xmm0, %xmm2
	jb	.L1287
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	11(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1287:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	-3(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1288
	vcomiss	%xmm0, %xmm2
	jb	.L1288
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	12(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1288:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	-2(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1289
	vcomiss	%xmm0, %xmm2
	jb	.L1289
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	13(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1289:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	-1(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1290
	vcomiss	%xmm0, %xmm2
	jb	.L1290
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	14(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1290:
	valignd	$7, %ymm1, %ymm1, %ymm1
	cmpq	%rcx, %rax
	jle	.L1275
	vcomiss	%xmm0, %xmm1
	jb	.L1275
	movq	24(%r13), %r8
	addq	$16, %rcx
	addq	$64, %r10
	movq	(%r8), %r14
	leal	15(%rdi), %r8d
	addl	$16, %edi
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm1, (%r14)
	cmpq	%rcx, %r11
	jne	.L1518
.L1515:
	movq	-64(%rsp), %r8
	vmovq	%xmm5, %r14
	jmp	.L1274
	.cfi_endproc
.LFE7608:
	.size	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0:
.LFB7609:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$520, %rsp
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %r8
	movq	(%rax), %rsi
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%r8), %rdx
	testq	%r8, %r8
	movq	%r8, %rax
	vmovups	%zmm0, 96(%rsp)
	cmovs	%rdx, %rax
	leaq	254(%r8), %rcx
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vmovups	%zmm0, 288(%rsp)
	movq	%rax, %r10
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %r10
	testq	%rdx, %rdx
	vmovups	%zmm0, 416(%rsp)
	cmovns	%rdx, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %r8
	jle	.L1524
	movq	%rax, %rdx
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%rdx
	leaq	-56(%rsp,%rdx,4), %r9
	.p2align 4,,10
	.p2align 3
.L1523:
	movzwl	(%rsi,%rax,2), %edx
	vmovdqu8	%xmm1, -86(%rsp)
	vmovdqu8	%xmm1, -72(%rsp)
	movw	%dx, -88(%rsp)
	vcvtph2ps	-88(%rsp), %zmm0
	vmovss	%xmm0, 24(%r9,%rax,4)
	addq	$1, %rax
	cmpq	%rax, %r8
	jne	.L1523
.L1524:
	xorl	%eax, %eax
	testq	%r8, %r8
	jle	.L1519
	movq	8(%rdi), %rax
	movq	(%rax), %r9
	movq	16(%rdi), %rax
	vmovss	(%rax), %xmm3
	vbroadcastss	%xmm3, %zmm4
	cmpq	$127, %r8
	jle	.L1531
	cmpq	%rcx, %r10
	movl	$1, %edi
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	cmovg	%rcx, %r10
	vpbroadcastd	%edi, %zmm6
	xorl	%eax, %eax
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L1527:
	vmovss	(%r9,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1526
	vcvtph2ps	(%rsi), %zmm0
	vcmpps	$1, %zmm0, %zmm4, %k1
	vcvtph2ps	32(%rsi), %zmm1
	vmovdqa32	%zmm6, %zmm0{%k1}{z}
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	64(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	96(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	128(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	160(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	192(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	224(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vextracti32x4	$1, %ymm0, %xmm7
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$5, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	valignd	$6, %ymm0, %ymm0, %ymm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$7, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	vextracti32x8	$0x1, %zmm0, %ymm0
	valignd	$5, %ymm0, %ymm0, %ymm2
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	vextracti32x4	$1, %ymm0, %xmm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$6, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rdi, %rax
	vmovd	%xmm2, %edi
	valignd	$7, %ymm0, %ymm0, %ymm2
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	cltq
	addq	%rax, %rdi
	vmovd	%xmm2, %eax
	cltq
	addq	%rdi, %rax
.L1526:
	addq	$1, %rdx
	addq	$256, %rsi
	cmpq	%r10, %rdx
	jl	.L1527
	cmpq	%rcx, %rdx
	jge	.L1519
.L1525:
	vpternlogd	$0xFF, %zmm0, %zmm0, %zmm0
	movl	$1, %esi
	vcmpps	$1, 352(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vcmpps	$1, 288(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm5{%k1}{z}
	vcmpps	$1, 224(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm6{%k1}{z}
	vcmpps	$1, 160(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm7{%k1}{z}
	vcmpps	$1, 96(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm8{%k1}{z}
	vcmpps	$1, 32(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm9{%k1}{z}
	vcmpps	$1, -32(%rsp), %zmm4, %k1
	vpbroadcastd	%esi, %zmm2{%k1}{z}
	vcmpps	$1, 416(%rsp), %zmm4, %k1
	vpsubd	%zmm9, %zmm2, %zmm2
	vpsubd	%zmm8, %zmm2, %zmm2
	vpsubd	%zmm7, %zmm2, %zmm2
	vpsubd	%zmm6, %zmm2, %zmm2
	vpsubd	%zmm5, %zmm2, %zmm2
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovd	%xmm2, %r8d
	vpextrd	$1, %xmm2, %edi
	vmovdqa	%ymm2, %ymm4
	vmovdqa	%xmm2, %xmm5
	movslq	%r8d, %r8
	movslq	%edi, %rdi
	.p2align 4,,10
	.p2align 3
.L1529:
	vmovss	(%r9,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1528
	vextracti32x4	$1, %ymm4, %xmm6
	addq	%r8, %rax
	vpextrd	$2, %xmm5, %esi
	vextracti32x8	$0x1, %zmm2, %ymm1
	valignd	$6, %ymm1, %ymm1, %ymm7
	addq	%rdi, %rax
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm5, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$6, %ymm4, %ymm4, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$7, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	vextracti32x4	$1, %ymm1, %xmm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$1, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vpextrd	$2, %xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm1, %ymm1, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$7, %ymm1, %ymm1, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm7, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	cltq
	addq	%rsi, %rax
.L1528:
	addq	$1, %rdx
	cmpq	%rdx, %rcx
	jg	.L1529
.L1519:
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1531:
	.cfi_restore_state
	xorl	%eax, %eax
	xorl	%edx, %edx
	jmp	.L1525
	.cfi_endproc
.LFE7609:
	.size	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0
	.align 2
	.p2align 4
	.type	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf, @function
_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf:
.LFB7102:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r13
	.cfi_offset 13, -24
	movq	%rdx, %r13
	pushq	%r12
	.cfi_offset 12, -32
	movq	%rdi, %r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$64, %rsp
	.cfi_offset 3, -40
	movq	(%rdi), %rax
	movq	40(%rax), %rdx
	movq	120(%rax), %rcx
	testq	%rdx, %rdx
	je	.L1537
	movq	(%rdx,%rsi,8), %rsi
.L1537:
	movq	16(%r12), %rdx
	imulq	72(%rax), %rsi
	addq	8(%r12), %rsi
	leaq	(%rcx,%rsi,2), %rcx
	testq	%rdx, %rdx
	jle	.L1548
	movl	$4194304, %esi
	xorl	%ebx, %ebx
	vpternlogd	$0xFF, %zmm6, %zmm6, %zmm6
	vpbroadcastd	%esi, %zmm5
	movl	$1, %esi
	vpbroadcastd	%esi, %zmm4
	movl	$32767, %esi
	vpbroadcastd	%esi, %zmm3
	jmp	.L1543
	.p2align 4,,10
	.p2align 3
.L1550:
	vpmovdw	%zmm2, %ymm2
	addq	$16, %rbx
	addq	$32, %rcx
	vmovdqu	%ymm2, -32(%rcx)
	movq	16(%r12), %rdx
	cmpq	%rdx, %rbx
	jge	.L1547
.L1542:
	movq	(%r12), %rax
.L1543:
	cmpq	$0, 112(%rax)
	vmovups	0(%r13,%rbx,4), %zmm0
	je	.L1539
	vmulps	152(%r12,%rbx,4), %zmm0, %zmm0
.L1539:
	cmpq	$0, 96(%rax)
	je	.L1540
	vaddps	24(%r12,%rbx,4), %zmm0, %zmm0
.L1540:
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpsrad	$16, %zmm0, %zmm1
	vpord	%zmm0, %zmm5, %zmm2
	vpandd	%zmm4, %zmm1, %zmm1
	leaq	15(%rbx), %rax
	vpaddd	%zmm0, %zmm1, %zmm1
	vmovdqa32	%zmm6, %zmm0{%k1}{z}
	vpaddd	%zmm3, %zmm1, %zmm1
	vpmovd2m	%zmm0, %k1
	vmovaps	%zmm1, %zmm2{%k1}
	vpsrad	$16, %zmm2, %zmm2
	cmpq	%rdx, %rax
	jl	.L1550
	subq	%rbx, %rdx
	vpmovdw	%zmm2, 32(%rsp)
	movq	%rcx, %rdi
	leaq	32(%rsp), %rsi
	addq	%rdx, %rdx
	vzeroupper
	call	memcpy@PLT
	movq	16(%r12), %rdx
	addq	$16, %rbx
	movq	%rax, %rcx
	vpternlogd	$0xFF, %zmm6, %zmm6, %zmm6
	vmovdqa32	.LC86(%rip), %zmm5
	vmovdqa32	.LC87(%rip), %zmm4
	vmovdqa32	.LC88(%rip), %zmm3
	addq	$32, %rcx
	cmpq	%rbx, %rdx
	jg	.L1542
.L1547:
	vzeroupper
.L1548:
	leaq	-24(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7102:
	.size	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf, .-_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_15PairsOfBFloat16EEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, @function
_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_15PairsOfBFloat16EEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc:
.LFB7045:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %r10
	movq	%rsi, %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	movq	%r8, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%r9, %rbx
	andq	$-64, %rsp
	subq	$768, %rsp
	cmpl	$5, 12(%rdi)
	movq	%rcx, 408(%rsp)
	movq	8(%rsi), %rcx
	movq	%rdx, 56(%rsp)
	movq	$0, 392(%rsp)
	jne	.L1552
	movq	80(%rdi), %rdx
	leaq	62(%rdx), %rax
	addq	$31, %rdx
	cmovns	%rdx, %rax
	sarq	$5, %rax
	imulq	%rcx, %rax
	leaq	63(,%rax,8), %rcx
	movq	%rcx, %rdx
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%rcx,%rdx), %rax
	andl	$63, %eax
	subq	%rdx, %rax
	subq	%rax, %rcx
	movq	%rcx, 392(%rsp)
.L1552:
	leaq	480(%rsp), %rax
	vxorps	%xmm31, %xmm31, %xmm31
	movq	%r11, %r13
	movq	%rax, 400(%rsp)
	cmpq	%r12, 408(%rsp)
	jge	.L1733
.L1553:
	movq	80(%r10), %r8
	testq	%r8, %r8
	jle	.L1555
	movq	%r12, 384(%rsp)
	movl	16(%r13), %edi
	xorl	%r15d, %r15d
.L1667:
	movq	%r8, %r14
	movl	$512, %eax
	movq	408(%rsp), %r12
	subq	%r15, %r14
	cmpq	%rax, %r14
	cmovg	%rax, %r14
	imulq	%r8, %r12
	addq	%r15, %r12
	salq	$7, %r12
	addq	48(%r10), %r12
	testl	%edi, %edi
	jle	.L1730
	movq	%r14, %r11
	xorl	%eax, %eax
	movq	%r8, %r9
	movl	%edi, %r8d
	salq	$7, %r11
	movq	%r14, %rdi
	movq	%rax, %r14
	addq	%r12, %r11
.L1666:
	movq	8(%r13), %rcx
	movslq	%r8d, %rsi
	movl	%r14d, 320(%rsp)
	imulq	%r14, %rcx
	addq	$1, %r14
	movq	%rcx, %rax
	cqto
	idivq	%rsi
	movq	%rax, %rcx
	movq	8(%r13), %rax
	imulq	%r14, %rax
	cqto
	idivq	%rsi
	movq	%rcx, %rdx
	imulq	%r9, %rdx
	subq	%rcx, %rax
	movq	%rax, %rsi
	imulq	%r15, %rsi
	addq	%rsi, %rdx
	movq	392(%rsp), %rsi
	leaq	(%rsi,%rdx,8), %rsi
	movq	56(%rsp), %rdx
	addq	%rdx, %rsi
	cmpl	$1, %r8d
	je	.L1735
	movl	320(%rsp), %edx
	andl	$1, %edx
	cmpl	$1, %edx
	sbbq	%rdx, %rdx
	salq	$7, %rcx
	andq	$-64, %rdx
	addq	%rbx, %rcx
	addq	$192, %rdx
	imulq	%rdi, %rdx
	addq	%r12, %rdx
	cmpq	$14, %rax
	je	.L1736
	cmpq	$13, %rax
	je	.L1737
	cmpq	$12, %rax
	je	.L1738
	cmpq	$11, %rax
	je	.L1739
	cmpq	$10, %rax
	je	.L1740
	cmpq	$9, %rax
	je	.L1741
	cmpq	$8, %rax
	je	.L1742
	cmpq	$7, %rax
	je	.L1743
	cmpq	$6, %rax
	je	.L1744
	cmpq	$5, %rax
	je	.L1745
	cmpq	$4, %rax
	je	.L1746
	cmpq	$3, %rax
	je	.L1747
	cmpq	$2, %rax
	je	.L1748
	cmpq	$1, %rax
	je	.L1749
.L1561:
	cmpl	%r14d, %r8d
	jg	.L1666
	addq	$512, %r15
	movl	%r8d, %edi
	movq	%r9, %r8
	cmpq	%r9, %r15
	jl	.L1667
.L1730:
	movq	384(%rsp), %r12
.L1555:
	movq	%r10, 320(%rsp)
	movq	408(%rsp), %rdx
	movq	%r10, %rsi
	movq	400(%rsp), %rdi
	vzeroupper
	call	_ZN10torchpaged12_GLOBAL__N_111PanelFinishC1ERKNS_12LinearParamsEl
	movq	320(%rsp), %r10
	vxorps	%xmm31, %xmm31, %xmm31
	movl	8(%r10), %eax
	cmpl	$1, %eax
	je	.L1668
	cmpl	$2, %eax
	jne	.L1669
	xorl	%r14d, %r14d
	cmpq	$0, 8(%r13)
	movq	%rbx, %r15
	jle	.L1672
.L1675:
	movq	0(%r13), %rsi
	movq	400(%rsp), %rdi
	movq	%r15, %rdx
	movq	%r10, 320(%rsp)
	subq	$-128, %r15
	addq	%r14, %rsi
	addq	$1, %r14
	call	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf
	cmpq	8(%r13), %r14
	movq	320(%rsp), %r10
	vxorps	%xmm31, %xmm31, %xmm31
	jl	.L1675
.L1672:
	addq	$1, 408(%rsp)
	movq	408(%rsp), %rax
	cmpq	%rax, %r12
	jne	.L1553
	vzeroupper
.L1733:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1736:
	.cfi_restore_state
	movl	$-65536, %r8d
	vxorps	%xmm4, %xmm4, %xmm4
	movq	%r12, %rax
	vpbroadcastd	%r8d, %zmm6
	vmovaps	%zmm4, %zmm1
	vmovaps	%zmm4, 128(%rsp)
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm3
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm30
	vmovaps	%zmm4, 192(%rsp)
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, 256(%rsp)
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, 320(%rsp)
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm10
	vmovdqa32	%zmm6, 64(%rsp)
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm29
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	.p2align 4,,10
	.p2align 3
.L1612:
	vpslld	$16, (%rax), %zmm2
	vpbroadcastd	(%rsi), %zmm6
	prefetcht1	(%rdx)
	vpslld	$16, 64(%rax), %zmm0
	vfmadd231ps	%zmm2, %zmm6, %zmm19
	vpbroadcastd	8(%rsi), %zmm13
	vfmadd231ps	%zmm0, %zmm6, %zmm5
	vfmadd231ps	%zmm2, %zmm13, %zmm17
	vpbroadcastd	4(%rsi), %zmm6
	vpbroadcastd	36(%rsi), %zmm14
	vfmadd231ps	%zmm0, %zmm13, %zmm7
	vpbroadcastd	40(%rsi), %zmm15
	vpbroadcastd	12(%rsi), %zmm13
	vpbroadcastd	44(%rsi), %zmm16
	vfmadd231ps	%zmm2, %zmm13, %zmm29
	vfmadd231ps	%zmm2, %zmm6, %zmm18
	vfmadd231ps	%zmm0, %zmm13, %zmm8
	vfmadd213ps	320(%rsp), %zmm0, %zmm6
	vpbroadcastd	16(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm14, %zmm23
	vfmadd231ps	%zmm2, %zmm13, %zmm28
	vfmadd231ps	%zmm0, %zmm13, %zmm9
	vpbroadcastd	20(%rsi), %zmm13
	vfmadd213ps	192(%rsp), %zmm0, %zmm14
	vfmadd231ps	%zmm2, %zmm13, %zmm27
	vfmadd231ps	%zmm0, %zmm13, %zmm10
	vpbroadcastd	24(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm15, %zmm22
	vfmadd132ps	%zmm0, %zmm30, %zmm15
	vfmadd231ps	%zmm2, %zmm13, %zmm26
	vfmadd231ps	%zmm0, %zmm13, %zmm11
	vpbroadcastd	28(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm16, %zmm21
	vfmadd132ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	48(%rsi), %zmm3
	vfmadd231ps	%zmm2, %zmm13, %zmm25
	vfmadd231ps	%zmm0, %zmm13, %zmm12
	vpbroadcastd	32(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm3, %zmm20
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	vpbroadcastd	52(%rsi), %zmm3
	vfmadd231ps	%zmm2, %zmm13, %zmm24
	vfmadd132ps	%zmm3, %zmm1, %zmm2
	vfmadd213ps	128(%rsp), %zmm0, %zmm3
	vfmadd213ps	256(%rsp), %zmm0, %zmm13
	vmovaps	%zmm3, 128(%rsp)
	vmovdqa32	64(%rsp), %zmm3
	vpandd	(%rax), %zmm3, %zmm1
	vpandd	64(%rax), %zmm3, %zmm0
	vpbroadcastd	56(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm5
	vpbroadcastd	60(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm18
	vfmadd132ps	%zmm0, %zmm6, %zmm3
	vmovaps	%zmm3, 320(%rsp)
	vpbroadcastd	64(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm7
	vpbroadcastd	68(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	72(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm28
	vfmadd231ps	%zmm0, %zmm3, %zmm9
	vpbroadcastd	76(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	80(%rsi), %zmm3
	vpbroadcastd	96(%rsi), %zmm30
	vfmadd231ps	%zmm1, %zmm3, %zmm26
	vfmadd231ps	%zmm0, %zmm3, %zmm11
	vpbroadcastd	84(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	88(%rsi), %zmm3
	vmovaps	%zmm3, %zmm6
	vfmadd231ps	%zmm1, %zmm3, %zmm24
	vpbroadcastd	92(%rsi), %zmm3
	vfmadd132ps	%zmm0, %zmm13, %zmm6
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm1, %zmm30, %zmm22
	vfmadd132ps	%zmm0, %zmm15, %zmm30
	vmovaps	%zmm6, 256(%rsp)
	vmovaps	%zmm3, %zmm6
	vpbroadcastd	100(%rsi), %zmm3
	vfmadd132ps	%zmm0, %zmm14, %zmm6
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd132ps	%zmm0, %zmm16, %zmm3
	vmovaps	%zmm6, 192(%rsp)
	vpbroadcastd	104(%rsi), %zmm6
	vfmadd231ps	%zmm1, %zmm6, %zmm20
	vfmadd231ps	%zmm0, %zmm6, %zmm4
	vpbroadcastd	108(%rsi), %zmm6
	vfmadd132ps	%zmm6, %zmm2, %zmm1
	addq	$64, %rdx
	subq	$-128, %rax
	addq	$112, %rsi
	vfmadd213ps	128(%rsp), %zmm0, %zmm6
	vmovaps	%zmm6, 128(%rsp)
	cmpq	%r11, %rax
	jne	.L1612
	vmovaps	%zmm7, %zmm13
	testq	%r15, %r15
	je	.L1613
	vaddps	64(%rcx), %zmm5, %zmm0
	vaddps	(%rcx), %zmm19, %zmm19
	vmovaps	320(%rsp), %zmm5
	vaddps	128(%rcx), %zmm18, %zmm18
	vmovups	%zmm0, 64(%rcx)
	vaddps	192(%rcx), %zmm5, %zmm0
	vmovups	%zmm19, (%rcx)
	vmovups	%zmm18, 128(%rcx)
	vmovups	%zmm0, 192(%rcx)
	vaddps	256(%rcx), %zmm17, %zmm0
	vmovups	%zmm0, 256(%rcx)
	vaddps	320(%rcx), %zmm7, %zmm0
	vmovups	%zmm0, 320(%rcx)
	vaddps	384(%rcx), %zmm29, %zmm0
	vmovups	%zmm0, 384(%rcx)
	vaddps	448(%rcx), %zmm8, %zmm0
	vmovups	%zmm0, 448(%rcx)
	vaddps	512(%rcx), %zmm28, %zmm0
	vmovups	%zmm0, 512(%rcx)
	vaddps	576(%rcx), %zmm9, %zmm0
	vmovups	%zmm0, 576(%rcx)
	vaddps	640(%rcx), %zmm27, %zmm0
	vmovups	%zmm0, 640(%rcx)
	vaddps	704(%rcx), %zmm10, %zmm0
	vmovups	%zmm0, 704(%rcx)
	vaddps	768(%rcx), %zmm26, %zmm0
	vmovups	%zmm0, 768(%rcx)
	vaddps	832(%rcx), %zmm11, %zmm0
	vmovups	%zmm0, 832(%rcx)
	vaddps	896(%rcx), %zmm25, %zmm0
	vmovups	%zmm0, 896(%rcx)
	vaddps	960(%rcx), %zmm12, %zmm0
	vmovups	%zmm0, 960(%rcx)
	vaddps	1024(%rcx), %zmm24, %zmm0
	vmovaps	256(%rsp), %zmm7
	vmovups	%zmm0, 1024(%rcx)
	vaddps	1088(%rcx), %zmm7, %zmm0
	vmovaps	192(%rsp), %zmm7
	vmovups	%zmm0, 1088(%rcx)
	vaddps	1152(%rcx), %zmm23, %zmm0
	vmovups	%zmm0, 1152(%rcx)
	vaddps	1216(%rcx), %zmm7, %zmm0
	vmovups	%zmm0, 1216(%rcx)
	vaddps	1280(%rcx), %zmm22, %zmm0
	vmovups	%zmm0, 1280(%rcx)
	vaddps	1344(%rcx), %zmm30, %zmm0
	vmovups	%zmm0, 1344(%rcx)
	vaddps	1408(%rcx), %zmm21, %zmm0
	vmovups	%zmm0, 1408(%rcx)
	vaddps	1472(%rcx), %zmm3, %zmm0
	vmovups	%zmm0, 1472(%rcx)
	vaddps	1536(%rcx), %zmm20, %zmm0
	vmovups	%zmm0, 1536(%rcx)
	vaddps	1600(%rcx), %zmm4, %zmm0
	vmovups	%zmm0, 1600(%rcx)
	vaddps	1664(%rcx), %zmm1, %zmm0
	vmovups	%zmm0, 1664(%rcx)
	vmovups	1728(%rcx), %zmm0
.L1614:
	vaddps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, 1728(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1613:
	vaddps	%zmm5, %zmm31, %zmm0
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	%zmm31, %zmm17, %zmm17
	vaddps	%zmm31, %zmm29, %zmm29
	vaddps	%zmm31, %zmm28, %zmm28
	vmovups	%zmm0, 64(%rcx)
	vaddps	%zmm31, %zmm27, %zmm27
	vaddps	320(%rsp), %zmm31, %zmm0
	vaddps	%zmm31, %zmm26, %zmm26
	vaddps	%zmm31, %zmm25, %zmm25
	vmovups	%zmm19, (%rcx)
	vaddps	%zmm31, %zmm24, %zmm24
	vaddps	%zmm31, %zmm23, %zmm23
	vmovups	%zmm18, 128(%rcx)
	vmovups	%zmm0, 192(%rcx)
	vaddps	%zmm13, %zmm31, %zmm0
	vaddps	%zmm31, %zmm22, %zmm22
	vaddps	%zmm31, %zmm21, %zmm21
	vaddps	%zmm31, %zmm20, %zmm20
	vmovups	%zmm17, 256(%rcx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm29, 384(%rcx)
	vmovups	%zmm0, 320(%rcx)
	vaddps	%zmm8, %zmm31, %zmm0
	vmovups	%zmm28, 512(%rcx)
	vmovups	%zmm27, 640(%rcx)
	vmovups	%zmm0, 448(%rcx)
	vaddps	%zmm9, %zmm31, %zmm0
	vmovups	%zmm26, 768(%rcx)
	vmovups	%zmm25, 896(%rcx)
	vmovups	%zmm0, 576(%rcx)
	vaddps	%zmm10, %zmm31, %zmm0
	vmovups	%zmm24, 1024(%rcx)
	vmovups	%zmm23, 1152(%rcx)
	vmovups	%zmm0, 704(%rcx)
	vaddps	%zmm11, %zmm31, %zmm0
	vmovups	%zmm22, 1280(%rcx)
	vmovups	%zmm21, 1408(%rcx)
	vmovups	%zmm0, 832(%rcx)
	vaddps	%zmm12, %zmm31, %zmm0
	vmovups	%zmm20, 1536(%rcx)
	vmovups	%zmm4, 1600(%rcx)
	vmovups	%zmm0, 960(%rcx)
	vaddps	256(%rsp), %zmm31, %zmm0
	vmovups	%zmm1, 1664(%rcx)
	vmovups	%zmm0, 1088(%rcx)
	vaddps	192(%rsp), %zmm31, %zmm0
	vmovups	%zmm0, 1216(%rcx)
	vaddps	%zmm31, %zmm30, %zmm0
	vmovups	%zmm0, 1344(%rcx)
	vaddps	%zmm31, %zmm3, %zmm0
	vmovups	%zmm0, 1472(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	jmp	.L1614
.L1735:
	leaq	4096(%r12), %rdx
	cmpq	$14, %rax
	je	.L1750
	cmpq	$13, %rax
	je	.L1751
	cmpq	$12, %rax
	je	.L1752
	cmpq	$11, %rax
	je	.L1753
	cmpq	$10, %rax
	je	.L1754
	cmpq	$9, %rax
	je	.L1755
	cmpq	$8, %rax
	je	.L1756
	cmpq	$7, %rax
	je	.L1757
	cmpq	$6, %rax
	je	.L1758
	cmpq	$5, %rax
	je	.L1759
	cmpq	$4, %rax
	je	.L1760
	cmpq	$3, %rax
	je	.L1761
	cmpq	$2, %rax
	je	.L1762
	cmpq	$1, %rax
	jne	.L1561
	vxorps	%xmm3, %xmm3, %xmm3
	movl	$-65536, %ecx
	leaq	4160(%r12), %rax
	leaq	(%rsi,%rdi,8), %rdx
	vmovaps	%zmm3, %zmm0
	vpbroadcastd	%ecx, %zmm5
.L1607:
	vpbroadcastd	(%rsi), %zmm1
	addq	$8, %rsi
	prefetcht0	-64(%rax)
	prefetcht0	(%rax)
	vpslld	$16, -4160(%rax), %zmm4
	subq	$-128, %rax
	vpslld	$16, -4224(%rax), %zmm2
	vfmadd231ps	%zmm4, %zmm1, %zmm0
	vpbroadcastd	-4(%rsi), %zmm4
	vfmadd231ps	%zmm2, %zmm1, %zmm3
	vpandd	-4288(%rax), %zmm5, %zmm2
	vpandd	-4224(%rax), %zmm5, %zmm1
	vfmadd231ps	%zmm2, %zmm4, %zmm0
	vfmadd231ps	%zmm1, %zmm4, %zmm3
	cmpq	%rsi, %rdx
	jne	.L1607
	testq	%r15, %r15
	je	.L1608
	vaddps	(%rbx), %zmm0, %zmm0
	vmovups	64(%rbx), %zmm1
.L1609:
	vaddps	%zmm3, %zmm1, %zmm1
	vmovups	%zmm0, (%rbx)
	vmovups	%zmm1, 64(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1737:
	vxorps	%xmm15, %xmm15, %xmm15
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm15, %zmm0
	vmovaps	%zmm15, %zmm3
	vmovaps	%zmm15, %zmm20
	vmovaps	%zmm15, %zmm4
	vmovaps	%zmm15, %zmm21
	vmovaps	%zmm15, %zmm5
	vmovaps	%zmm15, %zmm22
	vmovaps	%zmm15, %zmm6
	vmovaps	%zmm15, %zmm23
	vmovaps	%zmm15, %zmm7
	vmovaps	%zmm15, %zmm24
	vmovaps	%zmm15, %zmm8
	vmovaps	%zmm15, %zmm25
	vmovaps	%zmm15, %zmm9
	vmovaps	%zmm15, %zmm26
	vmovaps	%zmm15, %zmm10
	vmovaps	%zmm15, %zmm27
	vmovaps	%zmm15, %zmm11
	vmovaps	%zmm15, %zmm16
	vmovaps	%zmm15, %zmm12
	vmovaps	%zmm15, %zmm17
	vmovaps	%zmm15, %zmm13
	vmovaps	%zmm15, %zmm18
	vmovaps	%zmm15, %zmm14
	vmovaps	%zmm15, %zmm19
	vpbroadcastd	%r8d, %zmm28
.L1616:
	vpslld	$16, (%rax), %zmm2
	vpslld	$16, 64(%rax), %zmm1
	subq	$-128, %rax
	prefetcht1	(%rdx)
	vpbroadcastd	(%rsi), %zmm29
	addq	$64, %rdx
	vfmadd231ps	%zmm2, %zmm29, %zmm19
	vfmadd132ps	%zmm1, %zmm14, %zmm29
	vpbroadcastd	4(%rsi), %zmm14
	vfmadd231ps	%zmm2, %zmm14, %zmm18
	vfmadd132ps	%zmm1, %zmm13, %zmm14
	vpbroadcastd	8(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm17
	vfmadd231ps	%zmm1, %zmm13, %zmm12
	vpbroadcastd	12(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm16
	vfmadd231ps	%zmm1, %zmm13, %zmm11
	vpbroadcastd	16(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm27
	vfmadd231ps	%zmm1, %zmm13, %zmm10
	vpbroadcastd	20(%rsi), %zmm13
	vmovaps	%zmm14, %zmm30
	vfmadd231ps	%zmm2, %zmm13, %zmm26
	vfmadd231ps	%zmm1, %zmm13, %zmm9
	vpbroadcastd	24(%rsi), %zmm13
	vpbroadcastd	52(%rsi), %zmm14
	vfmadd231ps	%zmm2, %zmm13, %zmm25
	vfmadd231ps	%zmm1, %zmm13, %zmm8
	vpbroadcastd	28(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm24
	vfmadd231ps	%zmm1, %zmm13, %zmm7
	vpbroadcastd	32(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm23
	vfmadd231ps	%zmm1, %zmm13, %zmm6
	vpbroadcastd	36(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm22
	vfmadd231ps	%zmm1, %zmm13, %zmm5
	vpbroadcastd	40(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm21
	vfmadd231ps	%zmm1, %zmm13, %zmm4
	vpbroadcastd	44(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm20
	vfmadd231ps	%zmm1, %zmm13, %zmm3
	vpbroadcastd	48(%rsi), %zmm13
	vfmadd132ps	%zmm13, %zmm0, %zmm2
	vfmadd231ps	%zmm1, %zmm13, %zmm15
	vpandd	-128(%rax), %zmm28, %zmm0
	vpbroadcastd	56(%rsi), %zmm13
	vpandd	-64(%rax), %zmm28, %zmm1
	vfmadd231ps	%zmm0, %zmm14, %zmm19
	vfmadd231ps	%zmm0, %zmm13, %zmm18
	vfmadd132ps	%zmm1, %zmm29, %zmm14
	vpbroadcastd	60(%rsi), %zmm29
	vfmadd132ps	%zmm1, %zmm30, %zmm13
	vfmadd231ps	%zmm0, %zmm29, %zmm17
	vfmadd231ps	%zmm1, %zmm29, %zmm12
	vpbroadcastd	64(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm16
	vfmadd231ps	%zmm1, %zmm29, %zmm11
	vpbroadcastd	68(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm27
	vfmadd231ps	%zmm1, %zmm29, %zmm10
	vpbroadcastd	72(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm26
	vfmadd231ps	%zmm1, %zmm29, %zmm9
	vpbroadcastd	76(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm25
	vfmadd231ps	%zmm1, %zmm29, %zmm8
	vpbroadcastd	80(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm24
	vfmadd231ps	%zmm1, %zmm29, %zmm7
	vpbroadcastd	84(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm23
	vfmadd231ps	%zmm1, %zmm29, %zmm6
	vpbroadcastd	88(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm22
	vfmadd231ps	%zmm1, %zmm29, %zmm5
	vpbroadcastd	92(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm21
	vfmadd231ps	%zmm1, %zmm29, %zmm4
	vpbroadcastd	96(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm20
	vfmadd231ps	%zmm1, %zmm29, %zmm3
	vpbroadcastd	100(%rsi), %zmm29
	vfmadd132ps	%zmm29, %zmm2, %zmm0
	vfmadd231ps	%zmm1, %zmm29, %zmm15
	addq	$104, %rsi
	cmpq	%r11, %rax
	jne	.L1616
	testq	%r15, %r15
	je	.L1617
	vaddps	(%rcx), %zmm19, %zmm19
	vaddps	64(%rcx), %zmm14, %zmm14
	vaddps	128(%rcx), %zmm18, %zmm18
	vaddps	192(%rcx), %zmm13, %zmm13
	vaddps	256(%rcx), %zmm17, %zmm17
	vaddps	320(%rcx), %zmm12, %zmm12
	vaddps	384(%rcx), %zmm16, %zmm16
	vmovups	%zmm19, (%rcx)
	vaddps	448(%rcx), %zmm11, %zmm11
	vaddps	512(%rcx), %zmm27, %zmm27
	vaddps	576(%rcx), %zmm10, %zmm10
	vmovups	%zmm14, 64(%rcx)
	vaddps	640(%rcx), %zmm26, %zmm26
	vaddps	704(%rcx), %zmm9, %zmm9
	vmovups	%zmm18, 128(%rcx)
	vaddps	768(%rcx), %zmm25, %zmm25
	vaddps	832(%rcx), %zmm8, %zmm8
	vmovups	%zmm13, 192(%rcx)
	vaddps	896(%rcx), %zmm24, %zmm24
	vaddps	960(%rcx), %zmm7, %zmm7
	vmovups	%zmm17, 256(%rcx)
	vmovups	%zmm12, 320(%rcx)
	vmovups	%zmm16, 384(%rcx)
	vmovups	%zmm11, 448(%rcx)
	vmovups	%zmm27, 512(%rcx)
	vmovups	%zmm10, 576(%rcx)
	vmovups	%zmm26, 640(%rcx)
	vmovups	%zmm9, 704(%rcx)
	vmovups	%zmm25, 768(%rcx)
	vmovups	%zmm8, 832(%rcx)
	vmovups	%zmm24, 896(%rcx)
	vmovups	%zmm7, 960(%rcx)
	vaddps	1024(%rcx), %zmm23, %zmm23
	vaddps	1536(%rcx), %zmm0, %zmm0
	vaddps	1088(%rcx), %zmm6, %zmm6
	vaddps	1152(%rcx), %zmm22, %zmm22
	vaddps	1216(%rcx), %zmm5, %zmm5
	vaddps	1280(%rcx), %zmm21, %zmm21
	vaddps	1344(%rcx), %zmm4, %zmm4
	vaddps	1408(%rcx), %zmm20, %zmm20
	vmovups	%zmm0, 1536(%rcx)
	vaddps	1472(%rcx), %zmm3, %zmm3
	vmovups	1600(%rcx), %zmm0
	vmovups	%zmm23, 1024(%rcx)
	vmovups	%zmm6, 1088(%rcx)
	vmovups	%zmm22, 1152(%rcx)
	vmovups	%zmm5, 1216(%rcx)
	vmovups	%zmm21, 1280(%rcx)
	vmovups	%zmm4, 1344(%rcx)
	vmovups	%zmm20, 1408(%rcx)
	vmovups	%zmm3, 1472(%rcx)
.L1618:
	vaddps	%zmm15, %zmm0, %zmm0
	vmovups	%zmm0, 1600(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1617:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm14, %zmm14
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	%zmm31, %zmm13, %zmm13
	vaddps	%zmm31, %zmm17, %zmm17
	vaddps	%zmm31, %zmm12, %zmm12
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm0, 1536(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm11, %zmm11
	vaddps	%zmm31, %zmm27, %zmm27
	vmovups	%zmm19, (%rcx)
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm26, %zmm26
	vmovups	%zmm14, 64(%rcx)
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm25, %zmm25
	vmovups	%zmm18, 128(%rcx)
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm24, %zmm24
	vmovups	%zmm13, 192(%rcx)
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm23, %zmm23
	vmovups	%zmm17, 256(%rcx)
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm22, %zmm22
	vmovups	%zmm12, 320(%rcx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm21, %zmm21
	vmovups	%zmm16, 384(%rcx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm20, %zmm20
	vmovups	%zmm11, 448(%rcx)
	vmovups	%zmm27, 512(%rcx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm10, 576(%rcx)
	vmovups	%zmm26, 640(%rcx)
	vmovups	%zmm9, 704(%rcx)
	vmovups	%zmm25, 768(%rcx)
	vmovups	%zmm8, 832(%rcx)
	vmovups	%zmm24, 896(%rcx)
	vmovups	%zmm7, 960(%rcx)
	vmovups	%zmm23, 1024(%rcx)
	vmovups	%zmm6, 1088(%rcx)
	vmovups	%zmm22, 1152(%rcx)
	vmovups	%zmm5, 1216(%rcx)
	vmovups	%zmm21, 1280(%rcx)
	vmovups	%zmm4, 1344(%rcx)
	vmovups	%zmm20, 1408(%rcx)
	vmovups	%zmm3, 1472(%rcx)
	jmp	.L1618
.L1739:
	vxorps	%xmm13, %xmm13, %xmm13
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm13, %zmm0
	vmovaps	%zmm13, %zmm3
	vmovaps	%zmm13, %zmm21
	vmovaps	%zmm13, %zmm4
	vmovaps	%zmm13, %zmm22
	vmovaps	%zmm13, %zmm5
	vmovaps	%zmm13, %zmm23
	vmovaps	%zmm13, %zmm6
	vmovaps	%zmm13, %zmm14
	vmovaps	%zmm13, %zmm7
	vmovaps	%zmm13, %zmm15
	vmovaps	%zmm13, %zmm8
	vmovaps	%zmm13, %zmm16
	vmovaps	%zmm13, %zmm9
	vmovaps	%zmm13, %zmm17
	vmovaps	%zmm13, %zmm10
	vmovaps	%zmm13, %zmm18
	vmovaps	%zmm13, %zmm11
	vmovaps	%zmm13, %zmm19
	vmovaps	%zmm13, %zmm12
	vmovaps	%zmm13, %zmm20
	vpbroadcastd	%r8d, %zmm24
.L1624:
	vpslld	$16, (%rax), %zmm2
	subq	$-128, %rax
	vpbroadcastd	(%rsi), %zmm25
	prefetcht1	(%rdx)
	vpslld	$16, -64(%rax), %zmm1
	vfmadd231ps	%zmm2, %zmm25, %zmm20
	addq	$64, %rdx
	addq	$88, %rsi
	vfmadd132ps	%zmm1, %zmm12, %zmm25
	vpbroadcastd	-84(%rsi), %zmm12
	vfmadd231ps	%zmm2, %zmm12, %zmm19
	vfmadd132ps	%zmm1, %zmm11, %zmm12
	vpbroadcastd	-80(%rsi), %zmm11
	vfmadd231ps	%zmm2, %zmm11, %zmm18
	vfmadd132ps	%zmm1, %zmm10, %zmm11
	vpbroadcastd	-76(%rsi), %zmm10
	vfmadd231ps	%zmm2, %zmm10, %zmm17
	vfmadd132ps	%zmm1, %zmm9, %zmm10
	vpbroadcastd	-72(%rsi), %zmm9
	vfmadd231ps	%zmm2, %zmm9, %zmm16
	vfmadd132ps	%zmm1, %zmm8, %zmm9
	vpbroadcastd	-68(%rsi), %zmm8
	vmovaps	%zmm12, %zmm26
	vfmadd231ps	%zmm2, %zmm8, %zmm15
	vfmadd132ps	%zmm1, %zmm7, %zmm8
	vpbroadcastd	-64(%rsi), %zmm7
	vmovaps	%zmm11, %zmm27
	vfmadd231ps	%zmm2, %zmm7, %zmm14
	vfmadd231ps	%zmm1, %zmm7, %zmm6
	vpbroadcastd	-60(%rsi), %zmm7
	vmovaps	%zmm10, %zmm28
	vfmadd231ps	%zmm2, %zmm7, %zmm23
	vfmadd231ps	%zmm1, %zmm7, %zmm5
	vpbroadcastd	-56(%rsi), %zmm7
	vmovaps	%zmm9, %zmm29
	vfmadd231ps	%zmm2, %zmm7, %zmm22
	vfmadd231ps	%zmm1, %zmm7, %zmm4
	vpbroadcastd	-52(%rsi), %zmm7
	vmovaps	%zmm8, %zmm30
	vfmadd231ps	%zmm2, %zmm7, %zmm21
	vfmadd231ps	%zmm1, %zmm7, %zmm3
	vpbroadcastd	-48(%rsi), %zmm7
	vpbroadcastd	-44(%rsi), %zmm12
	vfmadd132ps	%zmm7, %zmm0, %zmm2
	vfmadd231ps	%zmm1, %zmm7, %zmm13
	vpandd	-128(%rax), %zmm24, %zmm0
	vpbroadcastd	-40(%rsi), %zmm11
	vfmadd231ps	%zmm0, %zmm12, %zmm20
	vfmadd231ps	%zmm0, %zmm11, %zmm19
	vpandd	-64(%rax), %zmm24, %zmm1
	vpbroadcastd	-36(%rsi), %zmm10
	vpbroadcastd	-32(%rsi), %zmm9
	vfmadd231ps	%zmm0, %zmm10, %zmm18
	vpbroadcastd	-28(%rsi), %zmm8
	vfmadd132ps	%zmm1, %zmm25, %zmm12
	vfmadd231ps	%zmm0, %zmm9, %zmm17
	vfmadd231ps	%zmm0, %zmm8, %zmm16
	vpbroadcastd	-24(%rsi), %zmm7
	vpbroadcastd	-20(%rsi), %zmm25
	vfmadd231ps	%zmm0, %zmm7, %zmm15
	vfmadd231ps	%zmm0, %zmm25, %zmm14
	vfmadd231ps	%zmm1, %zmm25, %zmm6
	vfmadd132ps	%zmm1, %zmm26, %zmm11
	vpbroadcastd	-16(%rsi), %zmm25
	vfmadd132ps	%zmm1, %zmm27, %zmm10
	vfmadd132ps	%zmm1, %zmm28, %zmm9
	vfmadd132ps	%zmm1, %zmm29, %zmm8
	vfmadd231ps	%zmm0, %zmm25, %zmm23
	vfmadd231ps	%zmm1, %zmm25, %zmm5
	vfmadd132ps	%zmm1, %zmm30, %zmm7
	vpbroadcastd	-12(%rsi), %zmm25
	vfmadd231ps	%zmm0, %zmm25, %zmm22
	vfmadd231ps	%zmm1, %zmm25, %zmm4
	vpbroadcastd	-8(%rsi), %zmm25
	vfmadd231ps	%zmm0, %zmm25, %zmm21
	vfmadd231ps	%zmm1, %zmm25, %zmm3
	vpbroadcastd	-4(%rsi), %zmm25
	vfmadd132ps	%zmm25, %zmm2, %zmm0
	vfmadd231ps	%zmm1, %zmm25, %zmm13
	cmpq	%r11, %rax
	jne	.L1624
	testq	%r15, %r15
	je	.L1625
	vaddps	(%rcx), %zmm20, %zmm20
	vaddps	64(%rcx), %zmm12, %zmm12
	vaddps	128(%rcx), %zmm19, %zmm19
	vaddps	192(%rcx), %zmm11, %zmm11
	vaddps	256(%rcx), %zmm18, %zmm18
	vaddps	320(%rcx), %zmm10, %zmm10
	vaddps	384(%rcx), %zmm17, %zmm17
	vmovups	%zmm20, (%rcx)
	vaddps	448(%rcx), %zmm9, %zmm9
	vaddps	512(%rcx), %zmm16, %zmm16
	vaddps	576(%rcx), %zmm8, %zmm8
	vmovups	%zmm12, 64(%rcx)
	vaddps	640(%rcx), %zmm15, %zmm15
	vaddps	704(%rcx), %zmm7, %zmm7
	vmovups	%zmm19, 128(%rcx)
	vaddps	768(%rcx), %zmm14, %zmm14
	vaddps	832(%rcx), %zmm6, %zmm6
	vmovups	%zmm11, 192(%rcx)
	vaddps	896(%rcx), %zmm23, %zmm23
	vaddps	960(%rcx), %zmm5, %zmm5
	vmovups	%zmm18, 256(%rcx)
	vmovups	%zmm10, 320(%rcx)
	vmovups	%zmm17, 384(%rcx)
	vmovups	%zmm9, 448(%rcx)
	vmovups	%zmm16, 512(%rcx)
	vmovups	%zmm8, 576(%rcx)
	vmovups	%zmm15, 640(%rcx)
	vmovups	%zmm7, 704(%rcx)
	vmovups	%zmm14, 768(%rcx)
	vmovups	%zmm6, 832(%rcx)
	vmovups	%zmm23, 896(%rcx)
	vmovups	%zmm5, 960(%rcx)
	vaddps	1024(%rcx), %zmm22, %zmm22
	vaddps	1280(%rcx), %zmm0, %zmm0
	vaddps	1088(%rcx), %zmm4, %zmm4
	vaddps	1152(%rcx), %zmm21, %zmm21
	vaddps	1216(%rcx), %zmm3, %zmm3
	vmovups	%zmm0, 1280(%rcx)
	vmovups	1344(%rcx), %zmm0
	vmovups	%zmm22, 1024(%rcx)
	vmovups	%zmm4, 1088(%rcx)
	vmovups	%zmm21, 1152(%rcx)
	vmovups	%zmm3, 1216(%rcx)
.L1626:
	vaddps	%zmm13, %zmm0, %zmm0
	vmovups	%zmm0, 1344(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1625:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm20, %zmm20
	vaddps	%zmm31, %zmm12, %zmm12
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm11, %zmm11
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm17, %zmm17
	vmovups	%zmm0, 1280(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm20, (%rcx)
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm15, %zmm15
	vmovups	%zmm12, 64(%rcx)
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm14, %zmm14
	vmovups	%zmm19, 128(%rcx)
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm23, %zmm23
	vmovups	%zmm11, 192(%rcx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm22, %zmm22
	vmovups	%zmm18, 256(%rcx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm21, %zmm21
	vmovups	%zmm10, 320(%rcx)
	vmovups	%zmm17, 384(%rcx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm9, 448(%rcx)
	vmovups	%zmm16, 512(%rcx)
	vmovups	%zmm8, 576(%rcx)
	vmovups	%zmm15, 640(%rcx)
	vmovups	%zmm7, 704(%rcx)
	vmovups	%zmm14, 768(%rcx)
	vmovups	%zmm6, 832(%rcx)
	vmovups	%zmm23, 896(%rcx)
	vmovups	%zmm5, 960(%rcx)
	vmovups	%zmm22, 1024(%rcx)
	vmovups	%zmm4, 1088(%rcx)
	vmovups	%zmm21, 1152(%rcx)
	vmovups	%zmm3, 1216(%rcx)
	jmp	.L1626
.L1738:
	vxorps	%xmm14, %xmm14, %xmm14
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm14, %zmm0
	vmovaps	%zmm14, %zmm3
	vmovaps	%zmm14, %zmm20
	vmovaps	%zmm14, %zmm4
	vmovaps	%zmm14, %zmm21
	vmovaps	%zmm14, %zmm5
	vmovaps	%zmm14, %zmm22
	vmovaps	%zmm14, %zmm6
	vmovaps	%zmm14, %zmm23
	vmovaps	%zmm14, %zmm7
	vmovaps	%zmm14, %zmm24
	vmovaps	%zmm14, %zmm8
	vmovaps	%zmm14, %zmm25
	vmovaps	%zmm14, %zmm9
	vmovaps	%zmm14, %zmm15
	vmovaps	%zmm14, %zmm10
	vmovaps	%zmm14, %zmm16
	vmovaps	%zmm14, %zmm11
	vmovaps	%zmm14, %zmm17
	vmovaps	%zmm14, %zmm12
	vmovaps	%zmm14, %zmm18
	vmovaps	%zmm14, %zmm13
	vmovaps	%zmm14, %zmm19
	vpbroadcastd	%r8d, %zmm26
.L1620:
	vpslld	$16, (%rax), %zmm2
	subq	$-128, %rax
	vpbroadcastd	(%rsi), %zmm27
	prefetcht1	(%rdx)
	vpslld	$16, -64(%rax), %zmm1
	vfmadd231ps	%zmm2, %zmm27, %zmm19
	addq	$64, %rdx
	addq	$96, %rsi
	vfmadd132ps	%zmm1, %zmm13, %zmm27
	vpbroadcastd	-92(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm18
	vfmadd132ps	%zmm1, %zmm12, %zmm13
	vpbroadcastd	-88(%rsi), %zmm12
	vfmadd231ps	%zmm2, %zmm12, %zmm17
	vfmadd132ps	%zmm1, %zmm11, %zmm12
	vpbroadcastd	-84(%rsi), %zmm11
	vfmadd231ps	%zmm2, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm10, %zmm11
	vpbroadcastd	-80(%rsi), %zmm10
	vfmadd231ps	%zmm2, %zmm10, %zmm15
	vfmadd231ps	%zmm1, %zmm10, %zmm9
	vpbroadcastd	-76(%rsi), %zmm10
	vmovaps	%zmm13, %zmm28
	vfmadd231ps	%zmm2, %zmm10, %zmm25
	vfmadd231ps	%zmm1, %zmm10, %zmm8
	vpbroadcastd	-72(%rsi), %zmm10
	vmovaps	%zmm12, %zmm29
	vfmadd231ps	%zmm2, %zmm10, %zmm24
	vfmadd231ps	%zmm1, %zmm10, %zmm7
	vpbroadcastd	-68(%rsi), %zmm10
	vmovaps	%zmm11, %zmm30
	vfmadd231ps	%zmm2, %zmm10, %zmm23
	vfmadd231ps	%zmm1, %zmm10, %zmm6
	vpbroadcastd	-64(%rsi), %zmm10
	vpbroadcastd	-48(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm10, %zmm22
	vfmadd231ps	%zmm1, %zmm10, %zmm5
	vpbroadcastd	-60(%rsi), %zmm10
	vpbroadcastd	-44(%rsi), %zmm12
	vfmadd231ps	%zmm2, %zmm10, %zmm21
	vfmadd231ps	%zmm1, %zmm10, %zmm4
	vpbroadcastd	-56(%rsi), %zmm10
	vpbroadcastd	-40(%rsi), %zmm11
	vfmadd231ps	%zmm2, %zmm10, %zmm20
	vfmadd231ps	%zmm1, %zmm10, %zmm3
	vpbroadcastd	-52(%rsi), %zmm10
	vfmadd132ps	%zmm10, %zmm0, %zmm2
	vfmadd231ps	%zmm1, %zmm10, %zmm14
	vpandd	-128(%rax), %zmm26, %zmm0
	vpbroadcastd	-36(%rsi), %zmm10
	vfmadd231ps	%zmm0, %zmm13, %zmm19
	vfmadd231ps	%zmm0, %zmm12, %zmm18
	vpandd	-64(%rax), %zmm26, %zmm1
	vfmadd231ps	%zmm0, %zmm11, %zmm17
	vfmadd132ps	%zmm1, %zmm27, %zmm13
	vpbroadcastd	-32(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm10, %zmm16
	vfmadd231ps	%zmm0, %zmm27, %zmm15
	vfmadd231ps	%zmm1, %zmm27, %zmm9
	vfmadd132ps	%zmm1, %zmm28, %zmm12
	vpbroadcastd	-28(%rsi), %zmm27
	vfmadd132ps	%zmm1, %zmm29, %zmm11
	vfmadd132ps	%zmm1, %zmm30, %zmm10
	vfmadd231ps	%zmm0, %zmm27, %zmm25
	vfmadd231ps	%zmm1, %zmm27, %zmm8
	vpbroadcastd	-24(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm24
	vfmadd231ps	%zmm1, %zmm27, %zmm7
	vpbroadcastd	-20(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm23
	vfmadd231ps	%zmm1, %zmm27, %zmm6
	vpbroadcastd	-16(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm22
	vfmadd231ps	%zmm1, %zmm27, %zmm5
	vpbroadcastd	-12(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm21
	vfmadd231ps	%zmm1, %zmm27, %zmm4
	vpbroadcastd	-8(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm20
	vfmadd231ps	%zmm1, %zmm27, %zmm3
	vpbroadcastd	-4(%rsi), %zmm27
	vfmadd132ps	%zmm27, %zmm2, %zmm0
	vfmadd231ps	%zmm1, %zmm27, %zmm14
	cmpq	%rax, %r11
	jne	.L1620
	testq	%r15, %r15
	je	.L1621
	vaddps	(%rcx), %zmm19, %zmm19
	vaddps	64(%rcx), %zmm13, %zmm13
	vaddps	128(%rcx), %zmm18, %zmm18
	vaddps	192(%rcx), %zmm12, %zmm12
	vaddps	256(%rcx), %zmm17, %zmm17
	vaddps	320(%rcx), %zmm11, %zmm11
	vaddps	384(%rcx), %zmm16, %zmm16
	vmovups	%zmm19, (%rcx)
	vaddps	448(%rcx), %zmm10, %zmm10
	vaddps	512(%rcx), %zmm15, %zmm15
	vaddps	576(%rcx), %zmm9, %zmm9
	vmovups	%zmm13, 64(%rcx)
	vaddps	640(%rcx), %zmm25, %zmm25
	vaddps	704(%rcx), %zmm8, %zmm8
	vmovups	%zmm18, 128(%rcx)
	vaddps	768(%rcx), %zmm24, %zmm24
	vaddps	832(%rcx), %zmm7, %zmm7
	vmovups	%zmm12, 192(%rcx)
	vaddps	896(%rcx), %zmm23, %zmm23
	vaddps	960(%rcx), %zmm6, %zmm6
	vmovups	%zmm17, 256(%rcx)
	vmovups	%zmm11, 320(%rcx)
	vmovups	%zmm16, 384(%rcx)
	vmovups	%zmm10, 448(%rcx)
	vmovups	%zmm15, 512(%rcx)
	vmovups	%zmm9, 576(%rcx)
	vmovups	%zmm25, 640(%rcx)
	vmovups	%zmm8, 704(%rcx)
	vmovups	%zmm24, 768(%rcx)
	vmovups	%zmm7, 832(%rcx)
	vmovups	%zmm23, 896(%rcx)
	vmovups	%zmm6, 960(%rcx)
	vaddps	1024(%rcx), %zmm22, %zmm22
	vaddps	1408(%rcx), %zmm0, %zmm0
	vaddps	1088(%rcx), %zmm5, %zmm5
	vaddps	1152(%rcx), %zmm21, %zmm21
	vaddps	1216(%rcx), %zmm4, %zmm4
	vaddps	1280(%rcx), %zmm20, %zmm20
	vaddps	1344(%rcx), %zmm3, %zmm3
	vmovups	%zmm0, 1408(%rcx)
	vmovups	1472(%rcx), %zmm0
	vmovups	%zmm22, 1024(%rcx)
	vmovups	%zmm5, 1088(%rcx)
	vmovups	%zmm21, 1152(%rcx)
	vmovups	%zmm4, 1216(%rcx)
	vmovups	%zmm20, 1280(%rcx)
	vmovups	%zmm3, 1344(%rcx)
.L1622:
	vaddps	%zmm14, %zmm0, %zmm0
	vmovups	%zmm0, 1472(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1621:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm13, %zmm13
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	%zmm31, %zmm12, %zmm12
	vaddps	%zmm31, %zmm17, %zmm17
	vaddps	%zmm31, %zmm11, %zmm11
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm0, 1408(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm15, %zmm15
	vmovups	%zmm19, (%rcx)
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm25, %zmm25
	vmovups	%zmm13, 64(%rcx)
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm24, %zmm24
	vmovups	%zmm18, 128(%rcx)
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm23, %zmm23
	vmovups	%zmm12, 192(%rcx)
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm22, %zmm22
	vmovups	%zmm17, 256(%rcx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm21, %zmm21
	vmovups	%zmm11, 320(%rcx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm20, %zmm20
	vmovups	%zmm16, 384(%rcx)
	vmovups	%zmm10, 448(%rcx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm15, 512(%rcx)
	vmovups	%zmm9, 576(%rcx)
	vmovups	%zmm25, 640(%rcx)
	vmovups	%zmm8, 704(%rcx)
	vmovups	%zmm24, 768(%rcx)
	vmovups	%zmm7, 832(%rcx)
	vmovups	%zmm23, 896(%rcx)
	vmovups	%zmm6, 960(%rcx)
	vmovups	%zmm22, 1024(%rcx)
	vmovups	%zmm5, 1088(%rcx)
	vmovups	%zmm21, 1152(%rcx)
	vmovups	%zmm4, 1216(%rcx)
	vmovups	%zmm20, 1280(%rcx)
	vmovups	%zmm3, 1344(%rcx)
	jmp	.L1622
.L1741:
	vxorps	%xmm11, %xmm11, %xmm11
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm11, %zmm0
	vmovaps	%zmm11, %zmm3
	vmovaps	%zmm11, %zmm15
	vmovaps	%zmm11, %zmm4
	vmovaps	%zmm11, %zmm16
	vmovaps	%zmm11, %zmm5
	vmovaps	%zmm11, %zmm17
	vmovaps	%zmm11, %zmm6
	vmovaps	%zmm11, %zmm18
	vmovaps	%zmm11, %zmm7
	vmovaps	%zmm11, %zmm19
	vmovaps	%zmm11, %zmm8
	vmovaps	%zmm11, %zmm20
	vmovaps	%zmm11, %zmm9
	vmovaps	%zmm11, %zmm21
	vmovaps	%zmm11, %zmm10
	vmovaps	%zmm11, %zmm22
	vpbroadcastd	%r8d, %zmm23
.L1632:
	vpslld	$16, (%rax), %zmm2
	vpbroadcastd	(%rsi), %zmm14
	subq	$-128, %rax
	prefetcht1	(%rdx)
	vpbroadcastd	4(%rsi), %zmm13
	vpbroadcastd	8(%rsi), %zmm12
	addq	$64, %rdx
	addq	$72, %rsi
	vfmadd231ps	%zmm2, %zmm14, %zmm22
	vfmadd231ps	%zmm2, %zmm13, %zmm21
	vpslld	$16, -64(%rax), %zmm1
	vfmadd231ps	%zmm2, %zmm12, %zmm20
	vfmadd132ps	%zmm1, %zmm8, %zmm12
	vpbroadcastd	-60(%rsi), %zmm8
	vfmadd132ps	%zmm1, %zmm10, %zmm14
	vpbroadcastd	-36(%rsi), %zmm10
	vfmadd231ps	%zmm2, %zmm8, %zmm19
	vfmadd132ps	%zmm1, %zmm7, %zmm8
	vpbroadcastd	-56(%rsi), %zmm7
	vfmadd231ps	%zmm2, %zmm7, %zmm18
	vfmadd132ps	%zmm1, %zmm6, %zmm7
	vpbroadcastd	-52(%rsi), %zmm6
	vfmadd231ps	%zmm2, %zmm6, %zmm17
	vfmadd132ps	%zmm1, %zmm5, %zmm6
	vpbroadcastd	-48(%rsi), %zmm5
	vfmadd231ps	%zmm2, %zmm5, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm5
	vpbroadcastd	-44(%rsi), %zmm4
	vmovaps	%zmm8, %zmm24
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd132ps	%zmm1, %zmm3, %zmm4
	vpbroadcastd	-40(%rsi), %zmm3
	vmovaps	%zmm7, %zmm25
	vfmadd132ps	%zmm3, %zmm0, %zmm2
	vfmadd132ps	%zmm1, %zmm11, %zmm3
	vmovaps	%zmm6, %zmm26
	vpbroadcastd	-28(%rsi), %zmm8
	vfmadd132ps	%zmm1, %zmm9, %zmm13
	vmovaps	%zmm5, %zmm27
	vpandd	-128(%rax), %zmm23, %zmm0
	vpbroadcastd	-32(%rsi), %zmm9
	vmovaps	%zmm4, %zmm28
	vpandd	-64(%rax), %zmm23, %zmm1
	vpbroadcastd	-24(%rsi), %zmm7
	vmovaps	%zmm3, %zmm29
	vpbroadcastd	-20(%rsi), %zmm6
	vpbroadcastd	-16(%rsi), %zmm5
	vfmadd231ps	%zmm0, %zmm10, %zmm22
	vfmadd231ps	%zmm0, %zmm9, %zmm21
	vpbroadcastd	-12(%rsi), %zmm4
	vpbroadcastd	-8(%rsi), %zmm3
	vfmadd231ps	%zmm0, %zmm8, %zmm20
	vfmadd231ps	%zmm0, %zmm7, %zmm19
	vpbroadcastd	-4(%rsi), %zmm11
	vfmadd231ps	%zmm0, %zmm6, %zmm18
	vfmadd231ps	%zmm0, %zmm5, %zmm17
	vfmadd231ps	%zmm0, %zmm4, %zmm16
	vfmadd231ps	%zmm0, %zmm3, %zmm15
	vfmadd132ps	%zmm1, %zmm14, %zmm10
	vfmadd132ps	%zmm11, %zmm2, %zmm0
	vfmadd132ps	%zmm1, %zmm13, %zmm9
	vfmadd132ps	%zmm1, %zmm12, %zmm8
	vfmadd132ps	%zmm1, %zmm24, %zmm7
	vfmadd132ps	%zmm1, %zmm25, %zmm6
	vfmadd132ps	%zmm1, %zmm26, %zmm5
	vfmadd132ps	%zmm1, %zmm27, %zmm4
	vfmadd132ps	%zmm1, %zmm28, %zmm3
	vfmadd132ps	%zmm1, %zmm29, %zmm11
	cmpq	%r11, %rax
	jne	.L1632
	testq	%r15, %r15
	je	.L1633
	vaddps	(%rcx), %zmm22, %zmm22
	vaddps	64(%rcx), %zmm10, %zmm10
	vaddps	128(%rcx), %zmm21, %zmm21
	vaddps	192(%rcx), %zmm9, %zmm9
	vaddps	256(%rcx), %zmm20, %zmm20
	vaddps	320(%rcx), %zmm8, %zmm8
	vaddps	384(%rcx), %zmm19, %zmm19
	vmovups	%zmm22, (%rcx)
	vaddps	448(%rcx), %zmm7, %zmm7
	vaddps	512(%rcx), %zmm18, %zmm18
	vaddps	576(%rcx), %zmm6, %zmm6
	vmovups	%zmm10, 64(%rcx)
	vaddps	640(%rcx), %zmm17, %zmm17
	vaddps	704(%rcx), %zmm5, %zmm5
	vmovups	%zmm21, 128(%rcx)
	vaddps	768(%rcx), %zmm16, %zmm16
	vaddps	832(%rcx), %zmm4, %zmm4
	vmovups	%zmm9, 192(%rcx)
	vaddps	896(%rcx), %zmm15, %zmm15
	vaddps	960(%rcx), %zmm3, %zmm3
	vmovups	%zmm20, 256(%rcx)
	vmovups	%zmm8, 320(%rcx)
	vmovups	%zmm19, 384(%rcx)
	vmovups	%zmm7, 448(%rcx)
	vmovups	%zmm18, 512(%rcx)
	vmovups	%zmm6, 576(%rcx)
	vmovups	%zmm17, 640(%rcx)
	vmovups	%zmm5, 704(%rcx)
	vmovups	%zmm16, 768(%rcx)
	vmovups	%zmm4, 832(%rcx)
	vmovups	%zmm15, 896(%rcx)
	vmovups	%zmm3, 960(%rcx)
	vaddps	1024(%rcx), %zmm0, %zmm0
	vmovups	%zmm0, 1024(%rcx)
	vmovups	1088(%rcx), %zmm0
.L1634:
	vaddps	%zmm11, %zmm0, %zmm0
	vmovups	%zmm0, 1088(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1633:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm22, %zmm22
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm21, %zmm21
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm20, %zmm20
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm19, %zmm19
	vmovups	%zmm0, 1024(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm18, %zmm18
	vmovups	%zmm22, (%rcx)
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm17, %zmm17
	vmovups	%zmm10, 64(%rcx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm21, 128(%rcx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm15, %zmm15
	vmovups	%zmm9, 192(%rcx)
	vmovups	%zmm20, 256(%rcx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm8, 320(%rcx)
	vmovups	%zmm19, 384(%rcx)
	vmovups	%zmm7, 448(%rcx)
	vmovups	%zmm18, 512(%rcx)
	vmovups	%zmm6, 576(%rcx)
	vmovups	%zmm17, 640(%rcx)
	vmovups	%zmm5, 704(%rcx)
	vmovups	%zmm16, 768(%rcx)
	vmovups	%zmm4, 832(%rcx)
	vmovups	%zmm15, 896(%rcx)
	vmovups	%zmm3, 960(%rcx)
	jmp	.L1634
.L1740:
	vxorps	%xmm12, %xmm12, %xmm12
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm12, %zmm0
	vmovaps	%zmm12, %zmm3
	vmovaps	%zmm12, %zmm13
	vmovaps	%zmm12, %zmm4
	vmovaps	%zmm12, %zmm14
	vmovaps	%zmm12, %zmm5
	vmovaps	%zmm12, %zmm15
	vmovaps	%zmm12, %zmm6
	vmovaps	%zmm12, %zmm16
	vmovaps	%zmm12, %zmm7
	vmovaps	%zmm12, %zmm17
	vmovaps	%zmm12, %zmm8
	vmovaps	%zmm12, %zmm18
	vmovaps	%zmm12, %zmm9
	vmovaps	%zmm12, %zmm19
	vmovaps	%zmm12, %zmm10
	vmovaps	%zmm12, %zmm20
	vmovaps	%zmm12, %zmm11
	vmovaps	%zmm12, %zmm21
	vpbroadcastd	%r8d, %zmm22
.L1628:
	vpslld	$16, (%rax), %zmm2
	subq	$-128, %rax
	vpbroadcastd	(%rsi), %zmm23
	prefetcht1	(%rdx)
	vpslld	$16, -64(%rax), %zmm1
	vfmadd231ps	%zmm2, %zmm23, %zmm21
	addq	$64, %rdx
	addq	$80, %rsi
	vfmadd132ps	%zmm1, %zmm11, %zmm23
	vpbroadcastd	-76(%rsi), %zmm11
	vfmadd231ps	%zmm2, %zmm11, %zmm20
	vfmadd132ps	%zmm1, %zmm10, %zmm11
	vpbroadcastd	-72(%rsi), %zmm10
	vfmadd231ps	%zmm2, %zmm10, %zmm19
	vfmadd132ps	%zmm1, %zmm9, %zmm10
	vpbroadcastd	-68(%rsi), %zmm9
	vfmadd231ps	%zmm2, %zmm9, %zmm18
	vfmadd132ps	%zmm1, %zmm8, %zmm9
	vpbroadcastd	-64(%rsi), %zmm8
	vfmadd231ps	%zmm2, %zmm8, %zmm17
	vfmadd132ps	%zmm1, %zmm7, %zmm8
	vpbroadcastd	-60(%rsi), %zmm7
	vmovaps	%zmm11, %zmm24
	vfmadd231ps	%zmm2, %zmm7, %zmm16
	vfmadd132ps	%zmm1, %zmm6, %zmm7
	vpbroadcastd	-56(%rsi), %zmm6
	vmovaps	%zmm10, %zmm25
	vfmadd231ps	%zmm2, %zmm6, %zmm15
	vfmadd132ps	%zmm1, %zmm5, %zmm6
	vpbroadcastd	-52(%rsi), %zmm5
	vmovaps	%zmm9, %zmm26
	vfmadd231ps	%zmm2, %zmm5, %zmm14
	vfmadd132ps	%zmm1, %zmm4, %zmm5
	vpbroadcastd	-48(%rsi), %zmm4
	vmovaps	%zmm8, %zmm27
	vfmadd231ps	%zmm2, %zmm4, %zmm13
	vfmadd231ps	%zmm1, %zmm4, %zmm3
	vpbroadcastd	-44(%rsi), %zmm4
	vmovaps	%zmm7, %zmm28
	vfmadd132ps	%zmm4, %zmm0, %zmm2
	vfmadd231ps	%zmm1, %zmm4, %zmm12
	vmovaps	%zmm6, %zmm29
	vpbroadcastd	-40(%rsi), %zmm11
	vmovaps	%zmm5, %zmm30
	vpandd	-128(%rax), %zmm22, %zmm0
	vpandd	-64(%rax), %zmm22, %zmm1
	vpbroadcastd	-36(%rsi), %zmm10
	vfmadd231ps	%zmm0, %zmm11, %zmm21
	vpbroadcastd	-32(%rsi), %zmm9
	vfmadd132ps	%zmm1, %zmm23, %zmm11
	vfmadd231ps	%zmm0, %zmm10, %zmm20
	vfmadd231ps	%zmm0, %zmm9, %zmm19
	vpbroadcastd	-28(%rsi), %zmm8
	vpbroadcastd	-24(%rsi), %zmm7
	vfmadd231ps	%zmm0, %zmm8, %zmm18
	vfmadd231ps	%zmm0, %zmm7, %zmm17
	vpbroadcastd	-20(%rsi), %zmm6
	vpbroadcastd	-16(%rsi), %zmm5
	vfmadd231ps	%zmm0, %zmm6, %zmm16
	vfmadd231ps	%zmm0, %zmm5, %zmm15
	vpbroadcastd	-12(%rsi), %zmm4
	vpbroadcastd	-8(%rsi), %zmm23
	vfmadd231ps	%zmm0, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm23, %zmm13
	vfmadd231ps	%zmm1, %zmm23, %zmm3
	vfmadd132ps	%zmm1, %zmm24, %zmm10
	vpbroadcastd	-4(%rsi), %zmm23
	vfmadd132ps	%zmm1, %zmm25, %zmm9
	vfmadd132ps	%zmm1, %zmm26, %zmm8
	vfmadd132ps	%zmm1, %zmm27, %zmm7
	vfmadd132ps	%zmm1, %zmm28, %zmm6
	vfmadd132ps	%zmm1, %zmm29, %zmm5
	vfmadd132ps	%zmm1, %zmm30, %zmm4
	vfmadd132ps	%zmm23, %zmm2, %zmm0
	vfmadd231ps	%zmm1, %zmm23, %zmm12
	cmpq	%rax, %r11
	jne	.L1628
	testq	%r15, %r15
	je	.L1629
	vaddps	(%rcx), %zmm21, %zmm21
	vaddps	64(%rcx), %zmm11, %zmm11
	vaddps	128(%rcx), %zmm20, %zmm20
	vaddps	192(%rcx), %zmm10, %zmm10
	vaddps	256(%rcx), %zmm19, %zmm19
	vaddps	320(%rcx), %zmm9, %zmm9
	vaddps	384(%rcx), %zmm18, %zmm18
	vmovups	%zmm21, (%rcx)
	vaddps	448(%rcx), %zmm8, %zmm8
	vaddps	512(%rcx), %zmm17, %zmm17
	vaddps	576(%rcx), %zmm7, %zmm7
	vmovups	%zmm11, 64(%rcx)
	vaddps	640(%rcx), %zmm16, %zmm16
	vaddps	704(%rcx), %zmm6, %zmm6
	vmovups	%zmm20, 128(%rcx)
	vaddps	768(%rcx), %zmm15, %zmm15
	vaddps	832(%rcx), %zmm5, %zmm5
	vmovups	%zmm10, 192(%rcx)
	vaddps	896(%rcx), %zmm14, %zmm14
	vaddps	960(%rcx), %zmm4, %zmm4
	vmovups	%zmm19, 256(%rcx)
	vmovups	%zmm9, 320(%rcx)
	vmovups	%zmm18, 384(%rcx)
	vmovups	%zmm8, 448(%rcx)
	vmovups	%zmm17, 512(%rcx)
	vmovups	%zmm7, 576(%rcx)
	vmovups	%zmm16, 640(%rcx)
	vmovups	%zmm6, 704(%rcx)
	vmovups	%zmm15, 768(%rcx)
	vmovups	%zmm5, 832(%rcx)
	vmovups	%zmm14, 896(%rcx)
	vmovups	%zmm4, 960(%rcx)
	vaddps	1024(%rcx), %zmm13, %zmm13
	vaddps	1152(%rcx), %zmm0, %zmm0
	vaddps	1088(%rcx), %zmm3, %zmm3
	vmovups	%zmm0, 1152(%rcx)
	vmovups	1216(%rcx), %zmm0
	vmovups	%zmm13, 1024(%rcx)
	vmovups	%zmm3, 1088(%rcx)
.L1630:
	vaddps	%zmm12, %zmm0, %zmm0
	vmovups	%zmm0, 1216(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1629:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm21, %zmm21
	vaddps	%zmm31, %zmm11, %zmm11
	vaddps	%zmm31, %zmm20, %zmm20
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm18, %zmm18
	vmovups	%zmm0, 1152(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm17, %zmm17
	vmovups	%zmm21, (%rcx)
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm11, 64(%rcx)
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm15, %zmm15
	vmovups	%zmm20, 128(%rcx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm14, %zmm14
	vmovups	%zmm10, 192(%rcx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm13, %zmm13
	vmovups	%zmm19, 256(%rcx)
	vmovups	%zmm9, 320(%rcx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm18, 384(%rcx)
	vmovups	%zmm8, 448(%rcx)
	vmovups	%zmm17, 512(%rcx)
	vmovups	%zmm7, 576(%rcx)
	vmovups	%zmm16, 640(%rcx)
	vmovups	%zmm6, 704(%rcx)
	vmovups	%zmm15, 768(%rcx)
	vmovups	%zmm5, 832(%rcx)
	vmovups	%zmm14, 896(%rcx)
	vmovups	%zmm4, 960(%rcx)
	vmovups	%zmm13, 1024(%rcx)
	vmovups	%zmm3, 1088(%rcx)
	jmp	.L1630
.L1669:
	cmpq	$0, 8(%r13)
	jle	.L1672
	movq	496(%rsp), %r15
	movq	480(%rsp), %r11
	xorl	%eax, %eax
	movq	%r12, 192(%rsp)
	movq	488(%rsp), %rsi
	leaq	-1(%r15), %rdx
	leaq	0(,%r15,4), %rdi
	movq	%rdx, 256(%rsp)
	movq	%rdi, %r12
	movq	%rbx, %rdi
.L1678:
	movq	0(%r13), %rdx
	movq	40(%r11), %rcx
	movq	%rax, %r14
	movq	120(%r11), %r8
	salq	$7, %r14
	addq	%rax, %rdx
	testq	%rcx, %rcx
	je	.L1676
	movq	(%rcx,%rdx,8), %rdx
.L1676:
	imulq	72(%r11), %rdx
	addq	%rsi, %rdx
	leaq	(%r8,%rdx,4), %rcx
	testq	%r15, %r15
	jle	.L1684
	movq	256(%rsp), %rbx
	addq	%rdi, %r14
	movl	$15, %r8d
	movq	%rax, 128(%rsp)
	leaq	416(%rsp), %rdx
	movq	%r14, %rax
	leaq	(%rcx,%r12), %r9
	movq	%rsi, 64(%rsp)
	andq	$-16, %rbx
	movq	%rdx, 320(%rsp)
	addq	$31, %rbx
	movq	%rdi, 384(%rsp)
	movq	%rbx, %r14
	movq	%r8, %rbx
	movq	%rax, %r8
	jmp	.L1683
.L1764:
	addq	$16, %rbx
	vmovups	%zmm0, (%rcx)
	addq	$64, %rcx
	cmpq	%rbx, %r14
	je	.L1763
.L1683:
	cmpq	$0, 112(%r11)
	vmovups	-60(%r8,%rbx,4), %zmm0
	je	.L1679
	movq	400(%rsp), %rax
	vmulps	92(%rax,%rbx,4), %zmm0, %zmm0
.L1679:
	cmpq	$0, 96(%r11)
	je	.L1680
	movq	400(%rsp), %rax
	vaddps	-36(%rax,%rbx,4), %zmm0, %zmm0
.L1680:
	cmpq	%r15, %rbx
	jl	.L1764
	movq	%r10, 24(%rsp)
	movq	%r9, %rdx
	movq	320(%rsp), %rsi
	movq	%rcx, %rdi
	movq	%r8, 32(%rsp)
	subq	%rcx, %rdx
	movq	%r11, 40(%rsp)
	movq	%r9, 48(%rsp)
	vmovups	%zmm0, 416(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %rbx
	movq	24(%rsp), %r10
	movq	%rax, %rcx
	movq	32(%rsp), %r8
	movq	40(%rsp), %r11
	vxorps	%xmm31, %xmm31, %xmm31
	movq	48(%rsp), %r9
	addq	$64, %rcx
	cmpq	%rbx, %r14
	jne	.L1683
.L1763:
	movq	128(%rsp), %rax
	movq	64(%rsp), %rsi
	movq	384(%rsp), %rdi
.L1684:
	addq	$1, %rax
	cmpq	8(%r13), %rax
	jl	.L1678
	movq	192(%rsp), %r12
	movq	%rdi, %rbx
	jmp	.L1672
.L1761:
	vxorps	%xmm6, %xmm6, %xmm6
	movq	%rdx, %rax
	movl	$-65536, %ecx
	leaq	(%rdi,%rdi,2), %rdx
	vmovaps	%zmm6, %zmm5
	vmovaps	%zmm6, %zmm0
	leaq	(%rsi,%rdx,8), %rdx
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm1
	vmovaps	%zmm6, %zmm3
	vpbroadcastd	%ecx, %zmm9
.L1603:
	vpbroadcastd	(%rsi), %zmm7
	addq	$24, %rsi
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vpslld	$16, -4096(%rax), %zmm4
	subq	$-128, %rax
	vpslld	$16, -4160(%rax), %zmm2
	vfmadd231ps	%zmm4, %zmm7, %zmm3
	vfmadd231ps	%zmm2, %zmm7, %zmm1
	vpbroadcastd	-20(%rsi), %zmm7
	vfmadd231ps	%zmm4, %zmm7, %zmm10
	vfmadd231ps	%zmm2, %zmm7, %zmm0
	vpbroadcastd	-16(%rsi), %zmm7
	vfmadd231ps	%zmm4, %zmm7, %zmm5
	vfmadd231ps	%zmm2, %zmm7, %zmm6
	vpandd	-4224(%rax), %zmm9, %zmm4
	vpbroadcastd	-12(%rsi), %zmm7
	vpandd	-4160(%rax), %zmm9, %zmm2
	vfmadd231ps	%zmm4, %zmm7, %zmm3
	vfmadd231ps	%zmm2, %zmm7, %zmm1
	vpbroadcastd	-8(%rsi), %zmm7
	vfmadd231ps	%zmm4, %zmm7, %zmm10
	vfmadd231ps	%zmm2, %zmm7, %zmm0
	vpbroadcastd	-4(%rsi), %zmm7
	vfmadd231ps	%zmm4, %zmm7, %zmm5
	vfmadd231ps	%zmm2, %zmm7, %zmm6
	cmpq	%rsi, %rdx
	jne	.L1603
	testq	%r15, %r15
	je	.L1604
	vaddps	64(%rbx), %zmm1, %zmm1
	vaddps	(%rbx), %zmm3, %zmm3
	vaddps	192(%rbx), %zmm0, %zmm0
	vaddps	256(%rbx), %zmm5, %zmm5
	vmovups	%zmm1, 64(%rbx)
	vaddps	128(%rbx), %zmm10, %zmm1
	vmovups	%zmm0, 192(%rbx)
	vmovups	320(%rbx), %zmm0
	vmovups	%zmm3, (%rbx)
	vmovups	%zmm1, 128(%rbx)
	vmovups	%zmm5, 256(%rbx)
.L1605:
	vaddps	%zmm6, %zmm0, %zmm0
	vmovups	%zmm0, 320(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1760:
	movq	%rdx, %rax
	movq	%rdi, %rdx
	vxorps	%xmm2, %xmm2, %xmm2
	movl	$-65536, %ecx
	salq	$5, %rdx
	vmovaps	%zmm2, %zmm1
	vmovaps	%zmm2, %zmm3
	addq	%rsi, %rdx
	vmovaps	%zmm2, %zmm12
	vmovaps	%zmm2, %zmm6
	vmovaps	%zmm2, %zmm7
	vmovaps	%zmm2, %zmm8
	vmovaps	%zmm2, %zmm9
	vpbroadcastd	%ecx, %zmm11
.L1599:
	vpbroadcastd	(%rsi), %zmm5
	addq	$32, %rsi
	prefetcht0	(%rax)
	vpslld	$16, -4096(%rax), %zmm4
	vpslld	$16, -4032(%rax), %zmm0
	vfmadd231ps	%zmm4, %zmm5, %zmm9
	vpbroadcastd	-12(%rsi), %zmm10
	prefetcht0	64(%rax)
	vfmadd231ps	%zmm0, %zmm5, %zmm8
	vpbroadcastd	-28(%rsi), %zmm5
	subq	$-128, %rax
	vfmadd231ps	%zmm4, %zmm5, %zmm7
	vfmadd132ps	%zmm0, %zmm6, %zmm5
	vpbroadcastd	-16(%rsi), %zmm6
	vmovaps	%zmm5, %zmm14
	vpbroadcastd	-24(%rsi), %zmm5
	vfmadd231ps	%zmm4, %zmm5, %zmm12
	vfmadd132ps	%zmm0, %zmm3, %zmm5
	vpbroadcastd	-20(%rsi), %zmm3
	vfmadd231ps	%zmm4, %zmm3, %zmm1
	vfmadd231ps	%zmm0, %zmm3, %zmm2
	vpandd	-4224(%rax), %zmm11, %zmm4
	vpandd	-4160(%rax), %zmm11, %zmm0
	vmovaps	%zmm5, %zmm13
	vpbroadcastd	-8(%rsi), %zmm5
	vfmadd231ps	%zmm4, %zmm6, %zmm9
	vfmadd231ps	%zmm4, %zmm5, %zmm12
	vfmadd132ps	%zmm0, %zmm13, %zmm5
	vfmadd231ps	%zmm0, %zmm6, %zmm8
	vmovaps	%zmm10, %zmm6
	vfmadd231ps	%zmm4, %zmm10, %zmm7
	vfmadd132ps	%zmm0, %zmm14, %zmm6
	vmovaps	%zmm5, %zmm3
	vpbroadcastd	-4(%rsi), %zmm5
	vfmadd231ps	%zmm4, %zmm5, %zmm1
	vfmadd231ps	%zmm0, %zmm5, %zmm2
	cmpq	%rsi, %rdx
	jne	.L1599
	testq	%r15, %r15
	je	.L1600
	vaddps	(%rbx), %zmm9, %zmm9
	vaddps	64(%rbx), %zmm8, %zmm8
	vaddps	128(%rbx), %zmm7, %zmm7
	vaddps	192(%rbx), %zmm6, %zmm6
	vaddps	256(%rbx), %zmm12, %zmm4
	vaddps	320(%rbx), %zmm3, %zmm3
	vaddps	384(%rbx), %zmm1, %zmm1
	vmovups	%zmm9, (%rbx)
	vmovups	448(%rbx), %zmm0
	vmovups	%zmm8, 64(%rbx)
	vmovups	%zmm7, 128(%rbx)
	vmovups	%zmm6, 192(%rbx)
	vmovups	%zmm4, 256(%rbx)
	vmovups	%zmm3, 320(%rbx)
	vmovups	%zmm1, 384(%rbx)
.L1601:
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm0, 448(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1604:
	vaddps	%zmm31, %zmm1, %zmm1
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm5, %zmm5
	vmovups	%zmm1, 64(%rbx)
	vaddps	%zmm31, %zmm10, %zmm1
	vmovups	%zmm0, 192(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm3, (%rbx)
	vmovups	%zmm1, 128(%rbx)
	vmovups	%zmm5, 256(%rbx)
	jmp	.L1605
.L1600:
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm8, %zmm8
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm12, %zmm4
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm9, (%rbx)
	vmovups	%zmm8, 64(%rbx)
	vmovups	%zmm7, 128(%rbx)
	vmovups	%zmm6, 192(%rbx)
	vmovups	%zmm4, 256(%rbx)
	vmovups	%zmm3, 320(%rbx)
	vmovups	%zmm1, 384(%rbx)
	jmp	.L1601
.L1759:
	vxorps	%xmm11, %xmm11, %xmm11
	movq	%rdx, %rax
	movl	$-65536, %ecx
	leaq	(%rdi,%rdi,4), %rdx
	vmovaps	%zmm11, %zmm0
	vmovaps	%zmm11, %zmm1
	leaq	(%rsi,%rdx,8), %rdx
	vmovaps	%zmm11, %zmm2
	vmovaps	%zmm11, %zmm3
	vmovaps	%zmm11, %zmm4
	vmovaps	%zmm11, %zmm5
	vmovaps	%zmm11, %zmm6
	vmovaps	%zmm11, %zmm7
	vmovaps	%zmm11, %zmm8
	vpbroadcastd	%ecx, %zmm12
.L1595:
	vpbroadcastd	(%rsi), %zmm13
	addq	$40, %rsi
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vpslld	$16, -4096(%rax), %zmm10
	subq	$-128, %rax
	vpslld	$16, -4160(%rax), %zmm9
	vfmadd231ps	%zmm10, %zmm13, %zmm8
	vfmadd231ps	%zmm9, %zmm13, %zmm7
	vpbroadcastd	-36(%rsi), %zmm13
	vfmadd231ps	%zmm10, %zmm13, %zmm6
	vfmadd132ps	%zmm9, %zmm5, %zmm13
	vpbroadcastd	-32(%rsi), %zmm5
	vfmadd231ps	%zmm10, %zmm5, %zmm4
	vfmadd132ps	%zmm9, %zmm3, %zmm5
	vpbroadcastd	-28(%rsi), %zmm3
	vfmadd231ps	%zmm10, %zmm3, %zmm2
	vfmadd132ps	%zmm9, %zmm1, %zmm3
	vpbroadcastd	-24(%rsi), %zmm1
	vfmadd231ps	%zmm10, %zmm1, %zmm0
	vfmadd132ps	%zmm9, %zmm11, %zmm1
	vpandd	-4224(%rax), %zmm12, %zmm10
	vpbroadcastd	-16(%rsi), %zmm11
	vmovaps	%zmm5, %zmm15
	vpandd	-4160(%rax), %zmm12, %zmm9
	vmovaps	%zmm13, %zmm16
	vmovaps	%zmm3, %zmm13
	vmovaps	%zmm1, %zmm14
	vpbroadcastd	-20(%rsi), %zmm1
	vfmadd231ps	%zmm10, %zmm1, %zmm8
	vfmadd231ps	%zmm9, %zmm1, %zmm7
	vpbroadcastd	-12(%rsi), %zmm1
	vfmadd231ps	%zmm10, %zmm1, %zmm4
	vfmadd132ps	%zmm9, %zmm15, %zmm1
	vmovaps	%zmm11, %zmm5
	vfmadd231ps	%zmm10, %zmm11, %zmm6
	vpbroadcastd	-8(%rsi), %zmm11
	vfmadd231ps	%zmm10, %zmm11, %zmm2
	vfmadd132ps	%zmm9, %zmm16, %zmm5
	vmovaps	%zmm1, %zmm3
	vmovaps	%zmm11, %zmm1
	vfmadd132ps	%zmm9, %zmm13, %zmm1
	vpbroadcastd	-4(%rsi), %zmm13
	vmovaps	%zmm13, %zmm11
	vfmadd231ps	%zmm10, %zmm13, %zmm0
	vfmadd132ps	%zmm9, %zmm14, %zmm11
	cmpq	%rdx, %rsi
	jne	.L1595
	testq	%r15, %r15
	je	.L1596
	vaddps	512(%rbx), %zmm0, %zmm0
	vaddps	(%rbx), %zmm8, %zmm8
	vaddps	64(%rbx), %zmm7, %zmm7
	vaddps	128(%rbx), %zmm6, %zmm6
	vaddps	192(%rbx), %zmm5, %zmm5
	vaddps	256(%rbx), %zmm4, %zmm4
	vaddps	320(%rbx), %zmm3, %zmm3
	vmovups	%zmm8, (%rbx)
	vaddps	384(%rbx), %zmm2, %zmm2
	vaddps	448(%rbx), %zmm1, %zmm1
	vmovups	%zmm0, 512(%rbx)
	vmovups	576(%rbx), %zmm0
	vmovups	%zmm7, 64(%rbx)
	vmovups	%zmm6, 128(%rbx)
	vmovups	%zmm5, 192(%rbx)
	vmovups	%zmm4, 256(%rbx)
	vmovups	%zmm3, 320(%rbx)
	vmovups	%zmm2, 384(%rbx)
	vmovups	%zmm1, 448(%rbx)
.L1597:
	vaddps	%zmm11, %zmm0, %zmm0
	vmovups	%zmm0, 576(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1758:
	movq	%rdx, %rax
	leaq	(%rdi,%rdi,2), %rdx
	vxorps	%xmm7, %xmm7, %xmm7
	movl	$-65536, %ecx
	salq	$4, %rdx
	vmovaps	%zmm7, %zmm6
	vmovaps	%zmm7, %zmm8
	addq	%rsi, %rdx
	vmovaps	%zmm7, %zmm9
	vmovaps	%zmm7, %zmm0
	vmovaps	%zmm7, %zmm10
	vmovaps	%zmm7, %zmm1
	vmovaps	%zmm7, %zmm11
	vmovaps	%zmm7, %zmm2
	vmovaps	%zmm7, %zmm12
	vmovaps	%zmm7, %zmm3
	vmovaps	%zmm7, %zmm13
	vpbroadcastd	%ecx, %zmm15
.L1591:
	vpbroadcastd	(%rsi), %zmm14
	addq	$48, %rsi
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vpslld	$16, -4096(%rax), %zmm5
	subq	$-128, %rax
	vpslld	$16, -4160(%rax), %zmm4
	vfmadd231ps	%zmm5, %zmm14, %zmm13
	vfmadd231ps	%zmm4, %zmm14, %zmm3
	vpbroadcastd	-44(%rsi), %zmm14
	vfmadd231ps	%zmm5, %zmm14, %zmm12
	vfmadd231ps	%zmm4, %zmm14, %zmm2
	vpbroadcastd	-40(%rsi), %zmm14
	vfmadd231ps	%zmm5, %zmm14, %zmm11
	vfmadd231ps	%zmm4, %zmm14, %zmm1
	vpbroadcastd	-36(%rsi), %zmm14
	vfmadd231ps	%zmm5, %zmm14, %zmm10
	vfmadd132ps	%zmm4, %zmm0, %zmm14
	vpbroadcastd	-32(%rsi), %zmm0
	vfmadd231ps	%zmm5, %zmm0, %zmm9
	vfmadd231ps	%zmm4, %zmm0, %zmm8
	vpbroadcastd	-28(%rsi), %zmm0
	vfmadd231ps	%zmm5, %zmm0, %zmm6
	vfmadd132ps	%zmm4, %zmm7, %zmm0
	vpandd	-4224(%rax), %zmm15, %zmm5
	vpbroadcastd	-12(%rsi), %zmm7
	vpandd	-4160(%rax), %zmm15, %zmm4
	vfmadd231ps	%zmm5, %zmm7, %zmm10
	vfmadd132ps	%zmm4, %zmm14, %zmm7
	vmovaps	%zmm0, %zmm16
	vpbroadcastd	-4(%rsi), %zmm14
	vpbroadcastd	-24(%rsi), %zmm0
	vfmadd231ps	%zmm5, %zmm0, %zmm13
	vfmadd231ps	%zmm4, %zmm0, %zmm3
	vpbroadcastd	-20(%rsi), %zmm0
	vfmadd231ps	%zmm5, %zmm0, %zmm12
	vfmadd231ps	%zmm4, %zmm0, %zmm2
	vpbroadcastd	-16(%rsi), %zmm0
	vfmadd231ps	%zmm5, %zmm0, %zmm11
	vfmadd231ps	%zmm4, %zmm0, %zmm1
	vmovaps	%zmm7, %zmm0
	vpbroadcastd	-8(%rsi), %zmm7
	vfmadd231ps	%zmm5, %zmm7, %zmm9
	vfmadd231ps	%zmm4, %zmm7, %zmm8
	vmovaps	%zmm14, %zmm7
	vfmadd231ps	%zmm5, %zmm14, %zmm6
	vfmadd132ps	%zmm4, %zmm16, %zmm7
	cmpq	%rdx, %rsi
	jne	.L1591
	testq	%r15, %r15
	je	.L1592
	vaddps	448(%rbx), %zmm0, %zmm0
	vaddps	(%rbx), %zmm13, %zmm13
	vaddps	64(%rbx), %zmm3, %zmm3
	vaddps	192(%rbx), %zmm2, %zmm2
	vaddps	320(%rbx), %zmm1, %zmm1
	vaddps	576(%rbx), %zmm8, %zmm8
	vaddps	640(%rbx), %zmm6, %zmm6
	vmovups	%zmm13, (%rbx)
	vmovups	%zmm0, 448(%rbx)
	vaddps	512(%rbx), %zmm9, %zmm0
	vmovups	%zmm3, 64(%rbx)
	vaddps	128(%rbx), %zmm12, %zmm3
	vmovups	%zmm2, 192(%rbx)
	vaddps	256(%rbx), %zmm11, %zmm2
	vmovups	%zmm1, 320(%rbx)
	vaddps	384(%rbx), %zmm10, %zmm1
	vmovups	%zmm0, 512(%rbx)
	vmovups	704(%rbx), %zmm0
	vmovups	%zmm3, 128(%rbx)
	vmovups	%zmm2, 256(%rbx)
	vmovups	%zmm1, 384(%rbx)
	vmovups	%zmm8, 576(%rbx)
	vmovups	%zmm6, 640(%rbx)
.L1593:
	vaddps	%zmm7, %zmm0, %zmm0
	vmovups	%zmm0, 704(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1592:
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm2, %zmm2
	vaddps	%zmm31, %zmm1, %zmm1
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm13, %zmm13
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm6, %zmm5
	vmovups	%zmm3, 64(%rbx)
	vaddps	%zmm31, %zmm12, %zmm3
	vmovups	%zmm2, 192(%rbx)
	vaddps	%zmm31, %zmm11, %zmm2
	vmovups	%zmm1, 320(%rbx)
	vaddps	%zmm31, %zmm10, %zmm1
	vmovups	%zmm0, 448(%rbx)
	vaddps	%zmm31, %zmm9, %zmm0
	vmovups	%zmm13, (%rbx)
	vmovups	%zmm3, 128(%rbx)
	vmovups	%zmm0, 512(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm2, 256(%rbx)
	vmovups	%zmm1, 384(%rbx)
	vmovups	%zmm8, 576(%rbx)
	vmovups	%zmm5, 640(%rbx)
	jmp	.L1593
.L1596:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm2, %zmm2
	vmovups	%zmm0, 512(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm8, (%rbx)
	vmovups	%zmm7, 64(%rbx)
	vmovups	%zmm6, 128(%rbx)
	vmovups	%zmm5, 192(%rbx)
	vmovups	%zmm4, 256(%rbx)
	vmovups	%zmm3, 320(%rbx)
	vmovups	%zmm2, 384(%rbx)
	vmovups	%zmm1, 448(%rbx)
	jmp	.L1597
.L1762:
	movq	%r10, 256(%rsp)
	testq	%r15, %r15
	movq	%rdx, %r9
	movq	%rbx, %rcx
	movq	%rdi, 320(%rsp)
	sete	%r8b
	movq	%r12, %rdx
	movzbl	%r8b, %r8d
	vzeroupper
	call	_ZN10torchpaged12_GLOBAL__N_113multiply_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEELi2ELb1EEEvlPKjPKNS0_10GroupScaleEPKcPfbSB_.isra.0
	movq	256(%rsp), %r10
	movl	16(%r13), %r8d
	movq	320(%rsp), %rdi
	movq	80(%r10), %r9
	jmp	.L1561
.L1668:
	xorl	%r14d, %r14d
	cmpq	$0, 8(%r13)
	movq	%rbx, %r15
	jle	.L1672
.L1674:
	movq	0(%r13), %rsi
	movq	400(%rsp), %rdi
	movq	%r15, %rdx
	movq	%r10, 320(%rsp)
	subq	$-128, %r15
	addq	%r14, %rsi
	addq	$1, %r14
	call	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_7Float16EEEvlPKf
	cmpq	8(%r13), %r14
	movq	320(%rsp), %r10
	vxorps	%xmm31, %xmm31, %xmm31
	jl	.L1674
	jmp	.L1672
.L1608:
	vaddps	%zmm31, %zmm0, %zmm0
	vxorps	%xmm1, %xmm1, %xmm1
	jmp	.L1609
.L1749:
	movq	%rdi, %r8
	vxorps	%xmm3, %xmm3, %xmm3
	movl	$-65536, %r9d
	movq	%r12, %rax
	salq	$6, %r8
	vmovaps	%zmm3, %zmm0
	vpbroadcastd	%r9d, %zmm5
	addq	%rdx, %r8
.L1663:
	vpslld	$16, (%rax), %zmm4
	vpbroadcastd	(%rsi), %zmm1
	prefetcht1	(%rdx)
	addq	$64, %rdx
	vpslld	$16, 64(%rax), %zmm2
	addq	$8, %rsi
	subq	$-128, %rax
	vfmadd231ps	%zmm4, %zmm1, %zmm0
	vfmadd231ps	%zmm2, %zmm1, %zmm3
	vpbroadcastd	-4(%rsi), %zmm4
	vpandd	-128(%rax), %zmm5, %zmm2
	vpandd	-64(%rax), %zmm5, %zmm1
	vfmadd231ps	%zmm2, %zmm4, %zmm0
	vfmadd231ps	%zmm1, %zmm4, %zmm3
	cmpq	%rdx, %r8
	jne	.L1663
	testq	%r15, %r15
	je	.L1664
	vaddps	(%rcx), %zmm0, %zmm0
	vmovups	64(%rcx), %zmm1
.L1665:
	vaddps	%zmm3, %zmm1, %zmm1
	vmovups	%zmm0, (%rcx)
	vmovups	%zmm1, 64(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1748:
	vxorps	%xmm4, %xmm4, %xmm4
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm4, %zmm0
	vmovaps	%zmm4, %zmm2
	vmovaps	%zmm4, %zmm5
	vpbroadcastd	%r8d, %zmm7
.L1660:
	vpslld	$16, (%rax), %zmm6
	subq	$-128, %rax
	vpbroadcastd	(%rsi), %zmm3
	prefetcht1	(%rdx)
	vpslld	$16, -64(%rax), %zmm1
	vfmadd231ps	%zmm6, %zmm3, %zmm5
	addq	$64, %rdx
	addq	$16, %rsi
	vfmadd231ps	%zmm1, %zmm3, %zmm2
	vpbroadcastd	-12(%rsi), %zmm3
	vfmadd231ps	%zmm6, %zmm3, %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm4
	vpbroadcastd	-8(%rsi), %zmm6
	vpandd	-128(%rax), %zmm7, %zmm3
	vpandd	-64(%rax), %zmm7, %zmm1
	vfmadd231ps	%zmm3, %zmm6, %zmm5
	vfmadd231ps	%zmm1, %zmm6, %zmm2
	vpbroadcastd	-4(%rsi), %zmm6
	vfmadd231ps	%zmm3, %zmm6, %zmm0
	vfmadd231ps	%zmm1, %zmm6, %zmm4
	cmpq	%rax, %r11
	jne	.L1660
	testq	%r15, %r15
	je	.L1661
	vaddps	128(%rcx), %zmm0, %zmm0
	vaddps	(%rcx), %zmm5, %zmm5
	vaddps	64(%rcx), %zmm2, %zmm2
	vmovups	%zmm0, 128(%rcx)
	vmovups	192(%rcx), %zmm0
	vmovups	%zmm5, (%rcx)
	vmovups	%zmm2, 64(%rcx)
.L1662:
	vaddps	%zmm4, %zmm0, %zmm0
	vmovups	%zmm0, 192(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1664:
	vaddps	%zmm31, %zmm0, %zmm0
	vxorps	%xmm1, %xmm1, %xmm1
	jmp	.L1665
.L1661:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm2, %zmm2
	vmovups	%zmm0, 128(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm5, (%rcx)
	vmovups	%zmm2, 64(%rcx)
	jmp	.L1662
.L1743:
	vxorps	%xmm23, %xmm23, %xmm23
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm23, %zmm0
	vmovaps	%zmm23, %zmm3
	vmovaps	%zmm23, %zmm16
	vmovaps	%zmm23, %zmm4
	vmovaps	%zmm23, %zmm17
	vmovaps	%zmm23, %zmm5
	vmovaps	%zmm23, %zmm18
	vmovaps	%zmm23, %zmm6
	vmovaps	%zmm23, %zmm19
	vmovaps	%zmm23, %zmm7
	vmovaps	%zmm23, %zmm20
	vmovaps	%zmm23, %zmm8
	vmovaps	%zmm23, %zmm21
	vpbroadcastd	%r8d, %zmm22
.L1640:
	vpslld	$16, (%rax), %zmm2
	vpbroadcastd	(%rsi), %zmm14
	prefetcht1	(%rdx)
	subq	$-128, %rax
	vpbroadcastd	20(%rsi), %zmm9
	vpbroadcastd	24(%rsi), %zmm15
	addq	$64, %rdx
	addq	$56, %rsi
	vfmadd231ps	%zmm2, %zmm9, %zmm16
	vfmadd231ps	%zmm2, %zmm15, %zmm0
	vpbroadcastd	-52(%rsi), %zmm13
	vpbroadcastd	-48(%rsi), %zmm12
	vpslld	$16, -64(%rax), %zmm1
	vpbroadcastd	-44(%rsi), %zmm11
	vfmadd132ps	%zmm1, %zmm3, %zmm9
	vfmadd132ps	%zmm1, %zmm23, %zmm15
	vpbroadcastd	-40(%rsi), %zmm10
	vpbroadcastd	-8(%rsi), %zmm3
	vfmadd231ps	%zmm2, %zmm14, %zmm21
	vfmadd231ps	%zmm2, %zmm13, %zmm20
	vfmadd132ps	%zmm1, %zmm8, %zmm14
	vfmadd132ps	%zmm1, %zmm7, %zmm13
	vpbroadcastd	-28(%rsi), %zmm8
	vpbroadcastd	-24(%rsi), %zmm7
	vfmadd231ps	%zmm2, %zmm12, %zmm19
	vfmadd231ps	%zmm2, %zmm11, %zmm18
	vfmadd132ps	%zmm1, %zmm6, %zmm12
	vfmadd132ps	%zmm1, %zmm5, %zmm11
	vpbroadcastd	-20(%rsi), %zmm6
	vpbroadcastd	-16(%rsi), %zmm5
	vfmadd231ps	%zmm2, %zmm10, %zmm17
	vfmadd132ps	%zmm1, %zmm4, %zmm10
	vpandd	-128(%rax), %zmm22, %zmm2
	vpbroadcastd	-12(%rsi), %zmm4
	vpandd	-64(%rax), %zmm22, %zmm1
	vfmadd231ps	%zmm2, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm9, %zmm3
	vpbroadcastd	-4(%rsi), %zmm9
	vfmadd231ps	%zmm2, %zmm9, %zmm0
	vfmadd132ps	%zmm1, %zmm15, %zmm9
	vfmadd231ps	%zmm2, %zmm8, %zmm21
	vfmadd231ps	%zmm2, %zmm7, %zmm20
	vmovaps	%zmm9, %zmm23
	vfmadd231ps	%zmm2, %zmm6, %zmm19
	vfmadd231ps	%zmm2, %zmm5, %zmm18
	vfmadd231ps	%zmm2, %zmm4, %zmm17
	vfmadd132ps	%zmm1, %zmm14, %zmm8
	vfmadd132ps	%zmm1, %zmm13, %zmm7
	vfmadd132ps	%zmm1, %zmm12, %zmm6
	vfmadd132ps	%zmm1, %zmm11, %zmm5
	vfmadd132ps	%zmm1, %zmm10, %zmm4
	cmpq	%rax, %r11
	jne	.L1640
	testq	%r15, %r15
	je	.L1641
	vaddps	768(%rcx), %zmm0, %zmm0
	vaddps	(%rcx), %zmm21, %zmm21
	vaddps	64(%rcx), %zmm8, %zmm8
	vaddps	128(%rcx), %zmm20, %zmm20
	vaddps	192(%rcx), %zmm7, %zmm7
	vaddps	256(%rcx), %zmm19, %zmm19
	vaddps	320(%rcx), %zmm6, %zmm6
	vmovups	%zmm21, (%rcx)
	vaddps	384(%rcx), %zmm18, %zmm18
	vaddps	448(%rcx), %zmm5, %zmm5
	vaddps	512(%rcx), %zmm17, %zmm17
	vmovups	%zmm0, 768(%rcx)
	vaddps	576(%rcx), %zmm4, %zmm4
	vaddps	640(%rcx), %zmm16, %zmm16
	vmovups	%zmm8, 64(%rcx)
	vaddps	704(%rcx), %zmm3, %zmm3
	vmovups	832(%rcx), %zmm0
	vmovups	%zmm20, 128(%rcx)
	vmovups	%zmm7, 192(%rcx)
	vmovups	%zmm19, 256(%rcx)
	vmovups	%zmm6, 320(%rcx)
	vmovups	%zmm18, 384(%rcx)
	vmovups	%zmm5, 448(%rcx)
	vmovups	%zmm17, 512(%rcx)
	vmovups	%zmm4, 576(%rcx)
	vmovups	%zmm16, 640(%rcx)
	vmovups	%zmm3, 704(%rcx)
.L1642:
	vaddps	%zmm23, %zmm0, %zmm0
	vmovups	%zmm0, 832(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1641:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm21, %zmm21
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm20, %zmm20
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm18, %zmm18
	vmovups	%zmm0, 768(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm17, %zmm17
	vmovups	%zmm21, (%rcx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm8, 64(%rcx)
	vmovups	%zmm20, 128(%rcx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm7, 192(%rcx)
	vmovups	%zmm19, 256(%rcx)
	vmovups	%zmm6, 320(%rcx)
	vmovups	%zmm18, 384(%rcx)
	vmovups	%zmm5, 448(%rcx)
	vmovups	%zmm17, 512(%rcx)
	vmovups	%zmm4, 576(%rcx)
	vmovups	%zmm16, 640(%rcx)
	vmovups	%zmm3, 704(%rcx)
	jmp	.L1642
.L1742:
	movq	%rdi, %r8
	vxorps	%xmm10, %xmm10, %xmm10
	movl	$-65536, %r9d
	movq	%r12, %rax
	salq	$6, %r8
	vmovaps	%zmm10, %zmm0
	vmovaps	%zmm10, %zmm3
	addq	%rdx, %r8
	vmovaps	%zmm10, %zmm17
	vmovaps	%zmm10, %zmm4
	vmovaps	%zmm10, %zmm18
	vmovaps	%zmm10, %zmm5
	vmovaps	%zmm10, %zmm19
	vmovaps	%zmm10, %zmm6
	vmovaps	%zmm10, %zmm20
	vmovaps	%zmm10, %zmm7
	vmovaps	%zmm10, %zmm21
	vmovaps	%zmm10, %zmm8
	vmovaps	%zmm10, %zmm22
	vmovaps	%zmm10, %zmm9
	vmovaps	%zmm10, %zmm23
	vpbroadcastd	%r9d, %zmm24
.L1636:
	vpslld	$16, (%rax), %zmm2
	vpbroadcastd	(%rsi), %zmm16
	prefetcht1	(%rdx)
	addq	$64, %rdx
	vpslld	$16, 64(%rax), %zmm1
	vpbroadcastd	4(%rsi), %zmm15
	subq	$-128, %rax
	addq	$64, %rsi
	vfmadd231ps	%zmm2, %zmm16, %zmm23
	vfmadd231ps	%zmm2, %zmm15, %zmm22
	vpbroadcastd	-56(%rsi), %zmm14
	vpbroadcastd	-52(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm14, %zmm21
	vfmadd231ps	%zmm2, %zmm13, %zmm20
	vpbroadcastd	-48(%rsi), %zmm12
	vpbroadcastd	-44(%rsi), %zmm11
	vfmadd231ps	%zmm2, %zmm12, %zmm19
	vfmadd231ps	%zmm2, %zmm11, %zmm18
	vfmadd132ps	%zmm1, %zmm4, %zmm11
	vpbroadcastd	-40(%rsi), %zmm4
	vfmadd132ps	%zmm1, %zmm9, %zmm16
	vpbroadcastd	-32(%rsi), %zmm9
	vfmadd231ps	%zmm2, %zmm4, %zmm17
	vfmadd132ps	%zmm1, %zmm3, %zmm4
	vpbroadcastd	-36(%rsi), %zmm3
	vfmadd132ps	%zmm3, %zmm0, %zmm2
	vfmadd132ps	%zmm1, %zmm10, %zmm3
	vpandd	-128(%rax), %zmm24, %zmm0
	vpbroadcastd	-4(%rsi), %zmm10
	vfmadd132ps	%zmm1, %zmm8, %zmm15
	vfmadd132ps	%zmm1, %zmm7, %zmm14
	vpbroadcastd	-28(%rsi), %zmm8
	vpbroadcastd	-24(%rsi), %zmm7
	vfmadd132ps	%zmm1, %zmm6, %zmm13
	vfmadd132ps	%zmm1, %zmm5, %zmm12
	vpbroadcastd	-20(%rsi), %zmm6
	vpandd	-64(%rax), %zmm24, %zmm1
	vmovaps	%zmm4, %zmm25
	vpbroadcastd	-16(%rsi), %zmm5
	vpbroadcastd	-12(%rsi), %zmm4
	vmovaps	%zmm3, %zmm26
	vpbroadcastd	-8(%rsi), %zmm3
	vfmadd231ps	%zmm0, %zmm9, %zmm23
	vfmadd231ps	%zmm0, %zmm8, %zmm22
	vfmadd231ps	%zmm0, %zmm7, %zmm21
	vfmadd231ps	%zmm0, %zmm6, %zmm20
	vfmadd231ps	%zmm0, %zmm5, %zmm19
	vfmadd231ps	%zmm0, %zmm4, %zmm18
	vfmadd231ps	%zmm0, %zmm3, %zmm17
	vfmadd132ps	%zmm1, %zmm16, %zmm9
	vfmadd132ps	%zmm10, %zmm2, %zmm0
	vfmadd132ps	%zmm1, %zmm15, %zmm8
	vfmadd132ps	%zmm1, %zmm14, %zmm7
	vfmadd132ps	%zmm1, %zmm13, %zmm6
	vfmadd132ps	%zmm1, %zmm12, %zmm5
	vfmadd132ps	%zmm1, %zmm11, %zmm4
	vfmadd132ps	%zmm1, %zmm25, %zmm3
	vfmadd132ps	%zmm1, %zmm26, %zmm10
	cmpq	%r8, %rdx
	jne	.L1636
	testq	%r15, %r15
	je	.L1637
	vaddps	896(%rcx), %zmm0, %zmm0
	vaddps	(%rcx), %zmm23, %zmm23
	vaddps	64(%rcx), %zmm9, %zmm9
	vaddps	128(%rcx), %zmm22, %zmm22
	vaddps	192(%rcx), %zmm8, %zmm8
	vaddps	256(%rcx), %zmm21, %zmm21
	vaddps	320(%rcx), %zmm7, %zmm7
	vmovups	%zmm23, (%rcx)
	vaddps	384(%rcx), %zmm20, %zmm20
	vaddps	448(%rcx), %zmm6, %zmm6
	vaddps	512(%rcx), %zmm19, %zmm19
	vmovups	%zmm0, 896(%rcx)
	vaddps	576(%rcx), %zmm5, %zmm5
	vaddps	640(%rcx), %zmm18, %zmm18
	vmovups	%zmm9, 64(%rcx)
	vaddps	704(%rcx), %zmm4, %zmm4
	vaddps	768(%rcx), %zmm17, %zmm17
	vmovups	%zmm22, 128(%rcx)
	vaddps	832(%rcx), %zmm3, %zmm3
	vmovups	960(%rcx), %zmm0
	vmovups	%zmm8, 192(%rcx)
	vmovups	%zmm21, 256(%rcx)
	vmovups	%zmm7, 320(%rcx)
	vmovups	%zmm20, 384(%rcx)
	vmovups	%zmm6, 448(%rcx)
	vmovups	%zmm19, 512(%rcx)
	vmovups	%zmm5, 576(%rcx)
	vmovups	%zmm18, 640(%rcx)
	vmovups	%zmm4, 704(%rcx)
	vmovups	%zmm17, 768(%rcx)
	vmovups	%zmm3, 832(%rcx)
.L1638:
	vaddps	%zmm10, %zmm0, %zmm0
	vmovups	%zmm0, 960(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1637:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm23, %zmm23
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm22, %zmm22
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm21, %zmm21
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm20, %zmm20
	vmovups	%zmm0, 896(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm19, %zmm19
	vmovups	%zmm23, (%rcx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm18, %zmm18
	vmovups	%zmm9, 64(%rcx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm17, %zmm17
	vmovups	%zmm22, 128(%rcx)
	vmovups	%zmm8, 192(%rcx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm21, 256(%rcx)
	vmovups	%zmm7, 320(%rcx)
	vmovups	%zmm20, 384(%rcx)
	vmovups	%zmm6, 448(%rcx)
	vmovups	%zmm19, 512(%rcx)
	vmovups	%zmm5, 576(%rcx)
	vmovups	%zmm18, 640(%rcx)
	vmovups	%zmm4, 704(%rcx)
	vmovups	%zmm17, 768(%rcx)
	vmovups	%zmm3, 832(%rcx)
	jmp	.L1638
.L1747:
	vxorps	%xmm5, %xmm5, %xmm5
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm5, %zmm4
	vmovaps	%zmm5, %zmm7
	vmovaps	%zmm5, %zmm11
	vmovaps	%zmm5, %zmm0
	vmovaps	%zmm5, %zmm2
	vpbroadcastd	%r8d, %zmm10
.L1656:
	vpslld	$16, (%rax), %zmm3
	subq	$-128, %rax
	vpbroadcastd	(%rsi), %zmm6
	prefetcht1	(%rdx)
	vpslld	$16, -64(%rax), %zmm1
	vfmadd231ps	%zmm3, %zmm6, %zmm2
	addq	$64, %rdx
	addq	$24, %rsi
	vfmadd231ps	%zmm1, %zmm6, %zmm0
	vpbroadcastd	-20(%rsi), %zmm6
	vfmadd231ps	%zmm3, %zmm6, %zmm11
	vfmadd231ps	%zmm1, %zmm6, %zmm7
	vpbroadcastd	-16(%rsi), %zmm6
	vfmadd231ps	%zmm3, %zmm6, %zmm4
	vfmadd231ps	%zmm1, %zmm6, %zmm5
	vpandd	-128(%rax), %zmm10, %zmm3
	vpbroadcastd	-12(%rsi), %zmm6
	vpandd	-64(%rax), %zmm10, %zmm1
	vfmadd231ps	%zmm3, %zmm6, %zmm2
	vfmadd231ps	%zmm1, %zmm6, %zmm0
	vpbroadcastd	-8(%rsi), %zmm6
	vfmadd231ps	%zmm3, %zmm6, %zmm11
	vfmadd231ps	%zmm1, %zmm6, %zmm7
	vpbroadcastd	-4(%rsi), %zmm6
	vfmadd231ps	%zmm3, %zmm6, %zmm4
	vfmadd231ps	%zmm1, %zmm6, %zmm5
	cmpq	%r11, %rax
	jne	.L1656
	testq	%r15, %r15
	je	.L1657
	vaddps	64(%rcx), %zmm0, %zmm0
	vaddps	(%rcx), %zmm2, %zmm2
	vaddps	192(%rcx), %zmm7, %zmm7
	vaddps	256(%rcx), %zmm4, %zmm4
	vmovups	%zmm0, 64(%rcx)
	vaddps	128(%rcx), %zmm11, %zmm0
	vmovups	%zmm2, (%rcx)
	vmovups	%zmm7, 192(%rcx)
	vmovups	%zmm0, 128(%rcx)
	vmovups	320(%rcx), %zmm0
	vmovups	%zmm4, 256(%rcx)
.L1658:
	vaddps	%zmm5, %zmm0, %zmm0
	vmovups	%zmm0, 320(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1657:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm2, %zmm2
	vaddps	%zmm31, %zmm7, %zmm6
	vaddps	%zmm31, %zmm4, %zmm4
	vmovups	%zmm0, 64(%rcx)
	vaddps	%zmm31, %zmm11, %zmm0
	vmovups	%zmm2, (%rcx)
	vmovups	%zmm6, 192(%rcx)
	vmovups	%zmm0, 128(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm4, 256(%rcx)
	jmp	.L1658
.L1746:
	vxorps	%xmm2, %xmm2, %xmm2
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm2, %zmm1
	vmovaps	%zmm2, %zmm3
	vmovaps	%zmm2, %zmm12
	vmovaps	%zmm2, %zmm6
	vmovaps	%zmm2, %zmm7
	vmovaps	%zmm2, %zmm8
	vmovaps	%zmm2, %zmm9
	vpbroadcastd	%r8d, %zmm11
.L1652:
	vpslld	$16, (%rax), %zmm4
	subq	$-128, %rax
	prefetcht1	(%rdx)
	vpbroadcastd	(%rsi), %zmm5
	vpslld	$16, -64(%rax), %zmm0
	addq	$64, %rdx
	addq	$32, %rsi
	vpbroadcastd	-16(%rsi), %zmm13
	vfmadd231ps	%zmm4, %zmm5, %zmm9
	vfmadd231ps	%zmm0, %zmm5, %zmm8
	vpbroadcastd	-28(%rsi), %zmm5
	vpbroadcastd	-12(%rsi), %zmm10
	vfmadd231ps	%zmm4, %zmm5, %zmm7
	vfmadd231ps	%zmm0, %zmm5, %zmm6
	vpbroadcastd	-24(%rsi), %zmm5
	vfmadd231ps	%zmm4, %zmm5, %zmm12
	vfmadd132ps	%zmm0, %zmm3, %zmm5
	vpbroadcastd	-20(%rsi), %zmm3
	vfmadd231ps	%zmm4, %zmm3, %zmm1
	vfmadd231ps	%zmm0, %zmm3, %zmm2
	vpandd	-128(%rax), %zmm11, %zmm4
	vpandd	-64(%rax), %zmm11, %zmm0
	vmovaps	%zmm5, %zmm14
	vpbroadcastd	-8(%rsi), %zmm5
	vfmadd231ps	%zmm4, %zmm5, %zmm12
	vfmadd132ps	%zmm0, %zmm14, %zmm5
	vfmadd231ps	%zmm4, %zmm13, %zmm9
	vfmadd231ps	%zmm0, %zmm13, %zmm8
	vfmadd231ps	%zmm4, %zmm10, %zmm7
	vfmadd231ps	%zmm0, %zmm10, %zmm6
	vmovaps	%zmm5, %zmm3
	vpbroadcastd	-4(%rsi), %zmm5
	vfmadd231ps	%zmm4, %zmm5, %zmm1
	vfmadd231ps	%zmm0, %zmm5, %zmm2
	cmpq	%r11, %rax
	jne	.L1652
	testq	%r15, %r15
	je	.L1653
	vaddps	(%rcx), %zmm9, %zmm9
	vaddps	64(%rcx), %zmm8, %zmm8
	vaddps	128(%rcx), %zmm7, %zmm7
	vaddps	192(%rcx), %zmm6, %zmm6
	vaddps	256(%rcx), %zmm12, %zmm4
	vaddps	320(%rcx), %zmm3, %zmm3
	vaddps	384(%rcx), %zmm1, %zmm1
	vmovups	%zmm9, (%rcx)
	vmovups	448(%rcx), %zmm0
	vmovups	%zmm8, 64(%rcx)
	vmovups	%zmm7, 128(%rcx)
	vmovups	%zmm6, 192(%rcx)
	vmovups	%zmm4, 256(%rcx)
	vmovups	%zmm3, 320(%rcx)
	vmovups	%zmm1, 384(%rcx)
.L1654:
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm0, 448(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1653:
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm8, %zmm8
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm12, %zmm4
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm9, (%rcx)
	vmovups	%zmm8, 64(%rcx)
	vmovups	%zmm7, 128(%rcx)
	vmovups	%zmm6, 192(%rcx)
	vmovups	%zmm4, 256(%rcx)
	vmovups	%zmm3, 320(%rcx)
	vmovups	%zmm1, 384(%rcx)
	jmp	.L1654
.L1745:
	vxorps	%xmm11, %xmm11, %xmm11
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm11, %zmm0
	vmovaps	%zmm11, %zmm1
	vmovaps	%zmm11, %zmm2
	vmovaps	%zmm11, %zmm3
	vmovaps	%zmm11, %zmm4
	vmovaps	%zmm11, %zmm5
	vmovaps	%zmm11, %zmm6
	vmovaps	%zmm11, %zmm7
	vmovaps	%zmm11, %zmm8
	vpbroadcastd	%r8d, %zmm12
.L1648:
	vpslld	$16, (%rax), %zmm10
	vpbroadcastd	(%rsi), %zmm13
	subq	$-128, %rax
	prefetcht1	(%rdx)
	vpslld	$16, -64(%rax), %zmm9
	vfmadd231ps	%zmm10, %zmm13, %zmm8
	addq	$64, %rdx
	addq	$40, %rsi
	vfmadd231ps	%zmm9, %zmm13, %zmm7
	vpbroadcastd	-36(%rsi), %zmm13
	vpbroadcastd	-16(%rsi), %zmm14
	vfmadd231ps	%zmm10, %zmm13, %zmm6
	vfmadd132ps	%zmm9, %zmm5, %zmm13
	vpbroadcastd	-32(%rsi), %zmm5
	vfmadd231ps	%zmm10, %zmm5, %zmm4
	vfmadd132ps	%zmm9, %zmm3, %zmm5
	vpbroadcastd	-28(%rsi), %zmm3
	vfmadd231ps	%zmm10, %zmm3, %zmm2
	vfmadd132ps	%zmm9, %zmm1, %zmm3
	vpbroadcastd	-24(%rsi), %zmm1
	vfmadd231ps	%zmm10, %zmm1, %zmm0
	vfmadd132ps	%zmm9, %zmm11, %zmm1
	vpandd	-128(%rax), %zmm12, %zmm10
	vpbroadcastd	-8(%rsi), %zmm11
	vmovaps	%zmm5, %zmm17
	vpandd	-64(%rax), %zmm12, %zmm9
	vmovaps	%zmm14, %zmm5
	vmovaps	%zmm3, %zmm16
	vmovaps	%zmm1, %zmm15
	vfmadd132ps	%zmm9, %zmm13, %zmm5
	vpbroadcastd	-20(%rsi), %zmm1
	vpbroadcastd	-12(%rsi), %zmm13
	vfmadd231ps	%zmm10, %zmm1, %zmm8
	vmovaps	%zmm13, %zmm3
	vfmadd231ps	%zmm9, %zmm1, %zmm7
	vfmadd231ps	%zmm10, %zmm13, %zmm4
	vmovaps	%zmm11, %zmm1
	vpbroadcastd	-4(%rsi), %zmm13
	vfmadd231ps	%zmm10, %zmm11, %zmm2
	vfmadd231ps	%zmm10, %zmm14, %zmm6
	vmovaps	%zmm13, %zmm11
	vfmadd132ps	%zmm9, %zmm17, %zmm3
	vfmadd132ps	%zmm9, %zmm16, %zmm1
	vfmadd231ps	%zmm10, %zmm13, %zmm0
	vfmadd132ps	%zmm9, %zmm15, %zmm11
	cmpq	%r11, %rax
	jne	.L1648
	testq	%r15, %r15
	je	.L1649
	vaddps	512(%rcx), %zmm0, %zmm0
	vaddps	(%rcx), %zmm8, %zmm8
	vaddps	64(%rcx), %zmm7, %zmm7
	vaddps	128(%rcx), %zmm6, %zmm6
	vaddps	192(%rcx), %zmm5, %zmm5
	vaddps	256(%rcx), %zmm4, %zmm4
	vaddps	320(%rcx), %zmm3, %zmm3
	vmovups	%zmm8, (%rcx)
	vaddps	384(%rcx), %zmm2, %zmm2
	vaddps	448(%rcx), %zmm1, %zmm1
	vmovups	%zmm0, 512(%rcx)
	vmovups	576(%rcx), %zmm0
	vmovups	%zmm7, 64(%rcx)
	vmovups	%zmm6, 128(%rcx)
	vmovups	%zmm5, 192(%rcx)
	vmovups	%zmm4, 256(%rcx)
	vmovups	%zmm3, 320(%rcx)
	vmovups	%zmm2, 384(%rcx)
	vmovups	%zmm1, 448(%rcx)
.L1650:
	vaddps	%zmm11, %zmm0, %zmm0
	vmovups	%zmm0, 576(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1649:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm2, %zmm2
	vmovups	%zmm0, 512(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm8, (%rcx)
	vmovups	%zmm7, 64(%rcx)
	vmovups	%zmm6, 128(%rcx)
	vmovups	%zmm5, 192(%rcx)
	vmovups	%zmm4, 256(%rcx)
	vmovups	%zmm3, 320(%rcx)
	vmovups	%zmm2, 384(%rcx)
	vmovups	%zmm1, 448(%rcx)
	jmp	.L1650
.L1744:
	vxorps	%xmm13, %xmm13, %xmm13
	movl	$-65536, %r8d
	movq	%r12, %rax
	vmovaps	%zmm13, %zmm0
	vmovaps	%zmm13, %zmm1
	vmovaps	%zmm13, %zmm2
	vmovaps	%zmm13, %zmm3
	vmovaps	%zmm13, %zmm4
	vmovaps	%zmm13, %zmm5
	vmovaps	%zmm13, %zmm6
	vmovaps	%zmm13, %zmm7
	vmovaps	%zmm13, %zmm8
	vmovaps	%zmm13, %zmm9
	vmovaps	%zmm13, %zmm10
	vpbroadcastd	%r8d, %zmm15
.L1644:
	vpslld	$16, (%rax), %zmm12
	subq	$-128, %rax
	vpbroadcastd	(%rsi), %zmm14
	prefetcht1	(%rdx)
	vpslld	$16, -64(%rax), %zmm11
	vfmadd231ps	%zmm12, %zmm14, %zmm10
	addq	$64, %rdx
	addq	$48, %rsi
	vfmadd231ps	%zmm11, %zmm14, %zmm9
	vpbroadcastd	-44(%rsi), %zmm14
	vfmadd231ps	%zmm12, %zmm14, %zmm8
	vfmadd231ps	%zmm11, %zmm14, %zmm7
	vpbroadcastd	-40(%rsi), %zmm14
	vfmadd231ps	%zmm12, %zmm14, %zmm6
	vfmadd231ps	%zmm11, %zmm14, %zmm5
	vpbroadcastd	-36(%rsi), %zmm14
	vfmadd231ps	%zmm12, %zmm14, %zmm4
	vfmadd231ps	%zmm11, %zmm14, %zmm3
	vpbroadcastd	-32(%rsi), %zmm14
	vfmadd231ps	%zmm12, %zmm14, %zmm2
	vfmadd132ps	%zmm11, %zmm1, %zmm14
	vpbroadcastd	-28(%rsi), %zmm1
	vfmadd231ps	%zmm12, %zmm1, %zmm0
	vfmadd132ps	%zmm11, %zmm13, %zmm1
	vpandd	-128(%rax), %zmm15, %zmm12
	vpbroadcastd	-8(%rsi), %zmm13
	vpandd	-64(%rax), %zmm15, %zmm11
	vfmadd231ps	%zmm12, %zmm13, %zmm2
	vmovaps	%zmm1, %zmm16
	vpbroadcastd	-24(%rsi), %zmm1
	vfmadd231ps	%zmm12, %zmm1, %zmm10
	vfmadd231ps	%zmm11, %zmm1, %zmm9
	vpbroadcastd	-20(%rsi), %zmm1
	vfmadd231ps	%zmm12, %zmm1, %zmm8
	vfmadd231ps	%zmm11, %zmm1, %zmm7
	vpbroadcastd	-16(%rsi), %zmm1
	vfmadd231ps	%zmm12, %zmm1, %zmm6
	vfmadd231ps	%zmm11, %zmm1, %zmm5
	vpbroadcastd	-12(%rsi), %zmm1
	vfmadd231ps	%zmm12, %zmm1, %zmm4
	vfmadd231ps	%zmm11, %zmm1, %zmm3
	vmovaps	%zmm13, %zmm1
	vfmadd132ps	%zmm11, %zmm14, %zmm1
	vpbroadcastd	-4(%rsi), %zmm14
	vfmadd231ps	%zmm12, %zmm14, %zmm0
	vfmadd132ps	%zmm11, %zmm16, %zmm14
	vmovaps	%zmm14, %zmm13
	cmpq	%rax, %r11
	jne	.L1644
	testq	%r15, %r15
	je	.L1645
	vaddps	640(%rcx), %zmm0, %zmm0
	vaddps	(%rcx), %zmm10, %zmm10
	vaddps	64(%rcx), %zmm9, %zmm9
	vaddps	128(%rcx), %zmm8, %zmm8
	vaddps	192(%rcx), %zmm7, %zmm7
	vaddps	256(%rcx), %zmm6, %zmm6
	vaddps	320(%rcx), %zmm5, %zmm5
	vmovups	%zmm10, (%rcx)
	vaddps	384(%rcx), %zmm4, %zmm4
	vaddps	448(%rcx), %zmm3, %zmm3
	vaddps	512(%rcx), %zmm2, %zmm2
	vmovups	%zmm0, 640(%rcx)
	vaddps	576(%rcx), %zmm1, %zmm1
	vmovups	704(%rcx), %zmm0
	vmovups	%zmm9, 64(%rcx)
	vmovups	%zmm8, 128(%rcx)
	vmovups	%zmm7, 192(%rcx)
	vmovups	%zmm6, 256(%rcx)
	vmovups	%zmm5, 320(%rcx)
	vmovups	%zmm4, 384(%rcx)
	vmovups	%zmm3, 448(%rcx)
	vmovups	%zmm2, 512(%rcx)
	vmovups	%zmm1, 576(%rcx)
.L1646:
	vaddps	%zmm13, %zmm0, %zmm0
	vmovups	%zmm0, 704(%rcx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1645:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm4, %zmm4
	vmovups	%zmm0, 640(%rcx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm2, %zmm2
	vmovups	%zmm10, (%rcx)
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm9, 64(%rcx)
	vmovups	%zmm8, 128(%rcx)
	vmovups	%zmm7, 192(%rcx)
	vmovups	%zmm6, 256(%rcx)
	vmovups	%zmm5, 320(%rcx)
	vmovups	%zmm4, 384(%rcx)
	vmovups	%zmm3, 448(%rcx)
	vmovups	%zmm2, 512(%rcx)
	vmovups	%zmm1, 576(%rcx)
	jmp	.L1646
.L1757:
	movq	%rdx, %rax
	leaq	0(,%rdi,8), %rdx
	vxorps	%xmm23, %xmm23, %xmm23
	movl	$-65536, %ecx
	subq	%rdi, %rdx
	vmovaps	%zmm23, %zmm0
	vmovaps	%zmm23, %zmm1
	leaq	(%rsi,%rdx,8), %rdx
	vmovaps	%zmm23, %zmm9
	vmovaps	%zmm23, %zmm2
	vmovaps	%zmm23, %zmm10
	vmovaps	%zmm23, %zmm3
	vmovaps	%zmm23, %zmm11
	vmovaps	%zmm23, %zmm4
	vmovaps	%zmm23, %zmm12
	vmovaps	%zmm23, %zmm5
	vmovaps	%zmm23, %zmm13
	vmovaps	%zmm23, %zmm6
	vmovaps	%zmm23, %zmm14
	vpbroadcastd	%ecx, %zmm21
.L1587:
	vpbroadcastd	20(%rsi), %zmm15
	vpbroadcastd	(%rsi), %zmm20
	addq	$56, %rsi
	prefetcht0	(%rax)
	vpslld	$16, -4096(%rax), %zmm8
	vpbroadcastd	-32(%rsi), %zmm22
	prefetcht0	64(%rax)
	subq	$-128, %rax
	vfmadd231ps	%zmm8, %zmm15, %zmm9
	vfmadd231ps	%zmm8, %zmm22, %zmm0
	vpbroadcastd	-52(%rsi), %zmm19
	vpbroadcastd	-48(%rsi), %zmm18
	vpbroadcastd	-44(%rsi), %zmm17
	vpbroadcastd	-40(%rsi), %zmm16
	vpslld	$16, -4160(%rax), %zmm7
	vfmadd132ps	%zmm7, %zmm1, %zmm15
	vfmadd132ps	%zmm7, %zmm23, %zmm22
	vpbroadcastd	-8(%rsi), %zmm1
	vfmadd231ps	%zmm8, %zmm20, %zmm14
	vfmadd231ps	%zmm8, %zmm19, %zmm13
	vfmadd132ps	%zmm7, %zmm6, %zmm20
	vfmadd132ps	%zmm7, %zmm5, %zmm19
	vpbroadcastd	-28(%rsi), %zmm6
	vpbroadcastd	-24(%rsi), %zmm5
	vfmadd231ps	%zmm8, %zmm18, %zmm12
	vfmadd231ps	%zmm8, %zmm17, %zmm11
	vfmadd132ps	%zmm7, %zmm4, %zmm18
	vfmadd132ps	%zmm7, %zmm3, %zmm17
	vpbroadcastd	-20(%rsi), %zmm4
	vpbroadcastd	-16(%rsi), %zmm3
	vfmadd231ps	%zmm8, %zmm16, %zmm10
	vfmadd132ps	%zmm7, %zmm2, %zmm16
	vpandd	-4224(%rax), %zmm21, %zmm8
	vpbroadcastd	-12(%rsi), %zmm2
	vpandd	-4160(%rax), %zmm21, %zmm7
	vfmadd231ps	%zmm8, %zmm1, %zmm9
	vfmadd132ps	%zmm7, %zmm15, %zmm1
	vpbroadcastd	-4(%rsi), %zmm15
	vfmadd231ps	%zmm8, %zmm15, %zmm0
	vfmadd132ps	%zmm7, %zmm22, %zmm15
	vfmadd231ps	%zmm8, %zmm6, %zmm14
	vfmadd231ps	%zmm8, %zmm5, %zmm13
	vmovaps	%zmm15, %zmm23
	vfmadd231ps	%zmm8, %zmm4, %zmm12
	vfmadd231ps	%zmm8, %zmm3, %zmm11
	vfmadd231ps	%zmm8, %zmm2, %zmm10
	vfmadd132ps	%zmm7, %zmm20, %zmm6
	vfmadd132ps	%zmm7, %zmm19, %zmm5
	vfmadd132ps	%zmm7, %zmm18, %zmm4
	vfmadd132ps	%zmm7, %zmm17, %zmm3
	vfmadd132ps	%zmm7, %zmm16, %zmm2
	cmpq	%rdx, %rsi
	jne	.L1587
	testq	%r15, %r15
	je	.L1588
	vaddps	768(%rbx), %zmm0, %zmm0
	vaddps	(%rbx), %zmm14, %zmm14
	vaddps	64(%rbx), %zmm6, %zmm6
	vaddps	128(%rbx), %zmm13, %zmm13
	vaddps	192(%rbx), %zmm5, %zmm5
	vaddps	256(%rbx), %zmm12, %zmm12
	vaddps	320(%rbx), %zmm4, %zmm4
	vmovups	%zmm14, (%rbx)
	vaddps	384(%rbx), %zmm11, %zmm11
	vaddps	448(%rbx), %zmm3, %zmm3
	vaddps	512(%rbx), %zmm10, %zmm10
	vmovups	%zmm0, 768(%rbx)
	vaddps	576(%rbx), %zmm2, %zmm2
	vaddps	640(%rbx), %zmm9, %zmm9
	vmovups	%zmm6, 64(%rbx)
	vaddps	704(%rbx), %zmm1, %zmm1
	vmovups	832(%rbx), %zmm0
	vmovups	%zmm13, 128(%rbx)
	vmovups	%zmm5, 192(%rbx)
	vmovups	%zmm12, 256(%rbx)
	vmovups	%zmm4, 320(%rbx)
	vmovups	%zmm11, 384(%rbx)
	vmovups	%zmm3, 448(%rbx)
	vmovups	%zmm10, 512(%rbx)
	vmovups	%zmm2, 576(%rbx)
	vmovups	%zmm9, 640(%rbx)
	vmovups	%zmm1, 704(%rbx)
.L1589:
	vaddps	%zmm23, %zmm0, %zmm0
	vmovups	%zmm0, 832(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1756:
	movq	%rdx, %rax
	movq	%rdi, %rdx
	vxorps	%xmm10, %xmm10, %xmm10
	movl	$-65536, %ecx
	salq	$6, %rdx
	vmovaps	%zmm10, %zmm0
	vmovaps	%zmm10, %zmm1
	addq	%rsi, %rdx
	vmovaps	%zmm10, %zmm11
	vmovaps	%zmm10, %zmm2
	vmovaps	%zmm10, %zmm12
	vmovaps	%zmm10, %zmm3
	vmovaps	%zmm10, %zmm13
	vmovaps	%zmm10, %zmm4
	vmovaps	%zmm10, %zmm14
	vmovaps	%zmm10, %zmm5
	vmovaps	%zmm10, %zmm15
	vmovaps	%zmm10, %zmm6
	vmovaps	%zmm10, %zmm16
	vmovaps	%zmm10, %zmm7
	vmovaps	%zmm10, %zmm17
	vpbroadcastd	%ecx, %zmm23
.L1583:
	vpbroadcastd	(%rsi), %zmm24
	vpbroadcastd	4(%rsi), %zmm22
	addq	$64, %rsi
	prefetcht0	(%rax)
	vpslld	$16, -4096(%rax), %zmm9
	vpbroadcastd	-56(%rsi), %zmm21
	prefetcht0	64(%rax)
	subq	$-128, %rax
	vfmadd231ps	%zmm9, %zmm24, %zmm17
	vfmadd231ps	%zmm9, %zmm22, %zmm16
	vpbroadcastd	-52(%rsi), %zmm20
	vpbroadcastd	-48(%rsi), %zmm19
	vfmadd231ps	%zmm9, %zmm21, %zmm15
	vfmadd231ps	%zmm9, %zmm20, %zmm14
	vpbroadcastd	-44(%rsi), %zmm18
	vfmadd231ps	%zmm9, %zmm19, %zmm13
	vfmadd231ps	%zmm9, %zmm18, %zmm12
	vpslld	$16, -4160(%rax), %zmm8
	vfmadd132ps	%zmm8, %zmm2, %zmm18
	vpbroadcastd	-40(%rsi), %zmm2
	vfmadd132ps	%zmm8, %zmm7, %zmm24
	vpbroadcastd	-32(%rsi), %zmm7
	vfmadd231ps	%zmm9, %zmm2, %zmm11
	vfmadd132ps	%zmm8, %zmm1, %zmm2
	vpbroadcastd	-36(%rsi), %zmm1
	vfmadd132ps	%zmm1, %zmm0, %zmm9
	vfmadd132ps	%zmm8, %zmm10, %zmm1
	vpandd	-4224(%rax), %zmm23, %zmm0
	vpbroadcastd	-4(%rsi), %zmm10
	vfmadd132ps	%zmm8, %zmm6, %zmm22
	vfmadd132ps	%zmm8, %zmm5, %zmm21
	vpbroadcastd	-28(%rsi), %zmm6
	vpbroadcastd	-24(%rsi), %zmm5
	vfmadd132ps	%zmm8, %zmm4, %zmm20
	vfmadd132ps	%zmm8, %zmm3, %zmm19
	vpbroadcastd	-20(%rsi), %zmm4
	vpandd	-4160(%rax), %zmm23, %zmm8
	vmovaps	%zmm2, %zmm25
	vpbroadcastd	-16(%rsi), %zmm3
	vpbroadcastd	-12(%rsi), %zmm2
	vmovaps	%zmm1, %zmm26
	vpbroadcastd	-8(%rsi), %zmm1
	vfmadd231ps	%zmm0, %zmm7, %zmm17
	vfmadd231ps	%zmm0, %zmm6, %zmm16
	vfmadd231ps	%zmm0, %zmm5, %zmm15
	vfmadd231ps	%zmm0, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm2, %zmm12
	vfmadd231ps	%zmm0, %zmm1, %zmm11
	vfmadd132ps	%zmm8, %zmm24, %zmm7
	vfmadd132ps	%zmm10, %zmm9, %zmm0
	vfmadd132ps	%zmm8, %zmm22, %zmm6
	vfmadd132ps	%zmm8, %zmm21, %zmm5
	vfmadd132ps	%zmm8, %zmm20, %zmm4
	vfmadd132ps	%zmm8, %zmm19, %zmm3
	vfmadd132ps	%zmm8, %zmm18, %zmm2
	vfmadd132ps	%zmm8, %zmm25, %zmm1
	vfmadd132ps	%zmm8, %zmm26, %zmm10
	cmpq	%rsi, %rdx
	jne	.L1583
	testq	%r15, %r15
	je	.L1584
	vaddps	896(%rbx), %zmm0, %zmm0
	vaddps	(%rbx), %zmm17, %zmm17
	vaddps	64(%rbx), %zmm7, %zmm7
	vaddps	128(%rbx), %zmm16, %zmm16
	vaddps	192(%rbx), %zmm6, %zmm6
	vaddps	256(%rbx), %zmm15, %zmm15
	vaddps	320(%rbx), %zmm5, %zmm5
	vmovups	%zmm17, (%rbx)
	vaddps	384(%rbx), %zmm14, %zmm14
	vaddps	448(%rbx), %zmm4, %zmm4
	vaddps	512(%rbx), %zmm13, %zmm13
	vmovups	%zmm0, 896(%rbx)
	vaddps	576(%rbx), %zmm3, %zmm3
	vaddps	640(%rbx), %zmm12, %zmm12
	vmovups	%zmm7, 64(%rbx)
	vaddps	704(%rbx), %zmm2, %zmm2
	vaddps	768(%rbx), %zmm11, %zmm11
	vmovups	%zmm16, 128(%rbx)
	vaddps	832(%rbx), %zmm1, %zmm1
	vmovups	960(%rbx), %zmm0
	vmovups	%zmm6, 192(%rbx)
	vmovups	%zmm15, 256(%rbx)
	vmovups	%zmm5, 320(%rbx)
	vmovups	%zmm14, 384(%rbx)
	vmovups	%zmm4, 448(%rbx)
	vmovups	%zmm13, 512(%rbx)
	vmovups	%zmm3, 576(%rbx)
	vmovups	%zmm12, 640(%rbx)
	vmovups	%zmm2, 704(%rbx)
	vmovups	%zmm11, 768(%rbx)
	vmovups	%zmm1, 832(%rbx)
.L1585:
	vaddps	%zmm10, %zmm0, %zmm0
	vmovups	%zmm0, 960(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1588:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm14, %zmm14
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm13, %zmm13
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm12, %zmm12
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm11, %zmm11
	vmovups	%zmm0, 768(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm10, %zmm10
	vmovups	%zmm14, (%rbx)
	vaddps	%zmm31, %zmm2, %zmm2
	vaddps	%zmm31, %zmm9, %zmm9
	vmovups	%zmm6, 64(%rbx)
	vmovups	%zmm13, 128(%rbx)
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm5, 192(%rbx)
	vmovups	%zmm12, 256(%rbx)
	vmovups	%zmm4, 320(%rbx)
	vmovups	%zmm11, 384(%rbx)
	vmovups	%zmm3, 448(%rbx)
	vmovups	%zmm10, 512(%rbx)
	vmovups	%zmm2, 576(%rbx)
	vmovups	%zmm9, 640(%rbx)
	vmovups	%zmm1, 704(%rbx)
	jmp	.L1589
.L1584:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm17, %zmm17
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm16, %zmm16
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm15, %zmm15
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm14, %zmm14
	vmovups	%zmm0, 896(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm13, %zmm13
	vmovups	%zmm17, (%rbx)
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm12, %zmm12
	vmovups	%zmm7, 64(%rbx)
	vaddps	%zmm31, %zmm2, %zmm2
	vaddps	%zmm31, %zmm11, %zmm11
	vmovups	%zmm16, 128(%rbx)
	vmovups	%zmm6, 192(%rbx)
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm15, 256(%rbx)
	vmovups	%zmm5, 320(%rbx)
	vmovups	%zmm14, 384(%rbx)
	vmovups	%zmm4, 448(%rbx)
	vmovups	%zmm13, 512(%rbx)
	vmovups	%zmm3, 576(%rbx)
	vmovups	%zmm12, 640(%rbx)
	vmovups	%zmm2, 704(%rbx)
	vmovups	%zmm11, 768(%rbx)
	vmovups	%zmm1, 832(%rbx)
	jmp	.L1585
.L1755:
	vxorps	%xmm11, %xmm11, %xmm11
	movq	%rdx, %rax
	movl	$-65536, %ecx
	leaq	(%rdi,%rdi,8), %rdx
	vmovaps	%zmm11, %zmm0
	vmovaps	%zmm11, %zmm1
	leaq	(%rsi,%rdx,8), %rdx
	vmovaps	%zmm11, %zmm12
	vmovaps	%zmm11, %zmm2
	vmovaps	%zmm11, %zmm13
	vmovaps	%zmm11, %zmm3
	vmovaps	%zmm11, %zmm14
	vmovaps	%zmm11, %zmm4
	vmovaps	%zmm11, %zmm15
	vmovaps	%zmm11, %zmm5
	vmovaps	%zmm11, %zmm16
	vmovaps	%zmm11, %zmm6
	vmovaps	%zmm11, %zmm17
	vmovaps	%zmm11, %zmm7
	vmovaps	%zmm11, %zmm18
	vmovaps	%zmm11, %zmm8
	vmovaps	%zmm11, %zmm19
	vpbroadcastd	%ecx, %zmm22
.L1579:
	vpbroadcastd	(%rsi), %zmm23
	addq	$72, %rsi
	prefetcht0	(%rax)
	vpslld	$16, -4096(%rax), %zmm10
	vpslld	$16, -4032(%rax), %zmm9
	vpbroadcastd	-68(%rsi), %zmm21
	prefetcht0	64(%rax)
	subq	$-128, %rax
	vfmadd231ps	%zmm10, %zmm23, %zmm19
	vfmadd231ps	%zmm10, %zmm21, %zmm18
	vpbroadcastd	-64(%rsi), %zmm20
	vfmadd231ps	%zmm10, %zmm20, %zmm17
	vfmadd132ps	%zmm9, %zmm6, %zmm20
	vpbroadcastd	-60(%rsi), %zmm6
	vfmadd231ps	%zmm10, %zmm6, %zmm16
	vfmadd132ps	%zmm9, %zmm5, %zmm6
	vpbroadcastd	-56(%rsi), %zmm5
	vfmadd231ps	%zmm10, %zmm5, %zmm15
	vfmadd132ps	%zmm9, %zmm4, %zmm5
	vpbroadcastd	-52(%rsi), %zmm4
	vfmadd231ps	%zmm10, %zmm4, %zmm14
	vfmadd132ps	%zmm9, %zmm3, %zmm4
	vpbroadcastd	-48(%rsi), %zmm3
	vfmadd231ps	%zmm10, %zmm3, %zmm13
	vfmadd132ps	%zmm9, %zmm2, %zmm3
	vpbroadcastd	-44(%rsi), %zmm2
	vmovaps	%zmm6, %zmm24
	vfmadd231ps	%zmm10, %zmm2, %zmm12
	vfmadd132ps	%zmm9, %zmm1, %zmm2
	vpbroadcastd	-40(%rsi), %zmm1
	vmovaps	%zmm5, %zmm25
	vfmadd132ps	%zmm1, %zmm0, %zmm10
	vfmadd132ps	%zmm9, %zmm11, %zmm1
	vmovaps	%zmm4, %zmm26
	vpbroadcastd	-28(%rsi), %zmm6
	vfmadd132ps	%zmm9, %zmm8, %zmm23
	vfmadd132ps	%zmm9, %zmm7, %zmm21
	vmovaps	%zmm3, %zmm27
	vpbroadcastd	-36(%rsi), %zmm8
	vmovaps	%zmm2, %zmm28
	vpbroadcastd	-32(%rsi), %zmm7
	vpandd	-4224(%rax), %zmm22, %zmm0
	vmovaps	%zmm1, %zmm29
	vpbroadcastd	-24(%rsi), %zmm5
	vpandd	-4160(%rax), %zmm22, %zmm9
	vfmadd231ps	%zmm0, %zmm8, %zmm19
	vfmadd231ps	%zmm0, %zmm6, %zmm17
	vpbroadcastd	-20(%rsi), %zmm4
	vpbroadcastd	-16(%rsi), %zmm3
	vfmadd231ps	%zmm0, %zmm7, %zmm18
	vfmadd231ps	%zmm0, %zmm5, %zmm16
	vpbroadcastd	-12(%rsi), %zmm2
	vpbroadcastd	-8(%rsi), %zmm1
	vfmadd231ps	%zmm0, %zmm4, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-4(%rsi), %zmm11
	vfmadd231ps	%zmm0, %zmm2, %zmm13
	vfmadd231ps	%zmm0, %zmm1, %zmm12
	vfmadd132ps	%zmm9, %zmm23, %zmm8
	vfmadd132ps	%zmm11, %zmm10, %zmm0
	vfmadd132ps	%zmm9, %zmm21, %zmm7
	vfmadd132ps	%zmm9, %zmm20, %zmm6
	vfmadd132ps	%zmm9, %zmm24, %zmm5
	vfmadd132ps	%zmm9, %zmm25, %zmm4
	vfmadd132ps	%zmm9, %zmm26, %zmm3
	vfmadd132ps	%zmm9, %zmm27, %zmm2
	vfmadd132ps	%zmm9, %zmm28, %zmm1
	vfmadd132ps	%zmm9, %zmm29, %zmm11
	cmpq	%rsi, %rdx
	jne	.L1579
	testq	%r15, %r15
	je	.L1580
	vaddps	(%rbx), %zmm19, %zmm19
	vaddps	64(%rbx), %zmm8, %zmm8
	vaddps	128(%rbx), %zmm18, %zmm18
	vaddps	192(%rbx), %zmm7, %zmm7
	vaddps	256(%rbx), %zmm17, %zmm17
	vaddps	320(%rbx), %zmm6, %zmm6
	vaddps	384(%rbx), %zmm16, %zmm16
	vmovups	%zmm19, (%rbx)
	vaddps	448(%rbx), %zmm5, %zmm5
	vaddps	512(%rbx), %zmm15, %zmm15
	vaddps	576(%rbx), %zmm4, %zmm4
	vmovups	%zmm8, 64(%rbx)
	vaddps	640(%rbx), %zmm14, %zmm14
	vaddps	704(%rbx), %zmm3, %zmm3
	vmovups	%zmm18, 128(%rbx)
	vaddps	768(%rbx), %zmm13, %zmm13
	vaddps	832(%rbx), %zmm2, %zmm2
	vmovups	%zmm7, 192(%rbx)
	vaddps	896(%rbx), %zmm12, %zmm12
	vaddps	960(%rbx), %zmm1, %zmm1
	vmovups	%zmm17, 256(%rbx)
	vmovups	%zmm6, 320(%rbx)
	vmovups	%zmm16, 384(%rbx)
	vmovups	%zmm5, 448(%rbx)
	vmovups	%zmm15, 512(%rbx)
	vmovups	%zmm4, 576(%rbx)
	vmovups	%zmm14, 640(%rbx)
	vmovups	%zmm3, 704(%rbx)
	vmovups	%zmm13, 768(%rbx)
	vmovups	%zmm2, 832(%rbx)
	vmovups	%zmm12, 896(%rbx)
	vmovups	%zmm1, 960(%rbx)
	vaddps	1024(%rbx), %zmm0, %zmm0
	vmovups	%zmm0, 1024(%rbx)
	vmovups	1088(%rbx), %zmm0
.L1581:
	vaddps	%zmm11, %zmm0, %zmm0
	vmovups	%zmm0, 1088(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1580:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm17, %zmm17
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm0, 1024(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm15, %zmm15
	vmovups	%zmm19, (%rbx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm14, %zmm14
	vmovups	%zmm8, 64(%rbx)
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm13, %zmm13
	vmovups	%zmm18, 128(%rbx)
	vaddps	%zmm31, %zmm2, %zmm2
	vaddps	%zmm31, %zmm12, %zmm12
	vmovups	%zmm7, 192(%rbx)
	vmovups	%zmm17, 256(%rbx)
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm6, 320(%rbx)
	vmovups	%zmm16, 384(%rbx)
	vmovups	%zmm5, 448(%rbx)
	vmovups	%zmm15, 512(%rbx)
	vmovups	%zmm4, 576(%rbx)
	vmovups	%zmm14, 640(%rbx)
	vmovups	%zmm3, 704(%rbx)
	vmovups	%zmm13, 768(%rbx)
	vmovups	%zmm2, 832(%rbx)
	vmovups	%zmm12, 896(%rbx)
	vmovups	%zmm1, 960(%rbx)
	jmp	.L1581
.L1754:
	movq	%rdx, %rax
	leaq	(%rdi,%rdi,4), %rdx
	vxorps	%xmm12, %xmm12, %xmm12
	movl	$-65536, %ecx
	salq	$4, %rdx
	vmovaps	%zmm12, %zmm0
	vmovaps	%zmm12, %zmm1
	addq	%rsi, %rdx
	vmovaps	%zmm12, %zmm13
	vmovaps	%zmm12, %zmm2
	vmovaps	%zmm12, %zmm14
	vmovaps	%zmm12, %zmm3
	vmovaps	%zmm12, %zmm15
	vmovaps	%zmm12, %zmm4
	vmovaps	%zmm12, %zmm16
	vmovaps	%zmm12, %zmm5
	vmovaps	%zmm12, %zmm17
	vmovaps	%zmm12, %zmm6
	vmovaps	%zmm12, %zmm18
	vmovaps	%zmm12, %zmm7
	vmovaps	%zmm12, %zmm19
	vmovaps	%zmm12, %zmm8
	vmovaps	%zmm12, %zmm20
	vmovaps	%zmm12, %zmm9
	vmovaps	%zmm12, %zmm21
	vpbroadcastd	%ecx, %zmm22
.L1575:
	vpbroadcastd	(%rsi), %zmm23
	addq	$80, %rsi
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vpslld	$16, -4096(%rax), %zmm11
	subq	$-128, %rax
	vpslld	$16, -4160(%rax), %zmm10
	vfmadd231ps	%zmm11, %zmm23, %zmm21
	vfmadd132ps	%zmm10, %zmm9, %zmm23
	vpbroadcastd	-76(%rsi), %zmm9
	vfmadd231ps	%zmm11, %zmm9, %zmm20
	vfmadd132ps	%zmm10, %zmm8, %zmm9
	vpbroadcastd	-72(%rsi), %zmm8
	vfmadd231ps	%zmm11, %zmm8, %zmm19
	vfmadd132ps	%zmm10, %zmm7, %zmm8
	vpbroadcastd	-68(%rsi), %zmm7
	vfmadd231ps	%zmm11, %zmm7, %zmm18
	vfmadd132ps	%zmm10, %zmm6, %zmm7
	vpbroadcastd	-64(%rsi), %zmm6
	vfmadd231ps	%zmm11, %zmm6, %zmm17
	vfmadd132ps	%zmm10, %zmm5, %zmm6
	vpbroadcastd	-60(%rsi), %zmm5
	vmovaps	%zmm9, %zmm24
	vfmadd231ps	%zmm11, %zmm5, %zmm16
	vfmadd132ps	%zmm10, %zmm4, %zmm5
	vpbroadcastd	-56(%rsi), %zmm4
	vmovaps	%zmm8, %zmm25
	vfmadd231ps	%zmm11, %zmm4, %zmm15
	vfmadd132ps	%zmm10, %zmm3, %zmm4
	vpbroadcastd	-52(%rsi), %zmm3
	vmovaps	%zmm7, %zmm26
	vfmadd231ps	%zmm11, %zmm3, %zmm14
	vfmadd132ps	%zmm10, %zmm2, %zmm3
	vpbroadcastd	-48(%rsi), %zmm2
	vmovaps	%zmm6, %zmm27
	vfmadd231ps	%zmm11, %zmm2, %zmm13
	vfmadd231ps	%zmm10, %zmm2, %zmm1
	vpbroadcastd	-44(%rsi), %zmm2
	vmovaps	%zmm5, %zmm28
	vfmadd132ps	%zmm2, %zmm0, %zmm11
	vfmadd231ps	%zmm10, %zmm2, %zmm12
	vmovaps	%zmm4, %zmm29
	vpbroadcastd	-40(%rsi), %zmm9
	vmovaps	%zmm3, %zmm30
	vpbroadcastd	-36(%rsi), %zmm8
	vpandd	-4224(%rax), %zmm22, %zmm0
	vpandd	-4160(%rax), %zmm22, %zmm10
	vfmadd231ps	%zmm0, %zmm9, %zmm21
	vpbroadcastd	-32(%rsi), %zmm7
	vfmadd132ps	%zmm10, %zmm23, %zmm9
	vpbroadcastd	-8(%rsi), %zmm23
	vpbroadcastd	-28(%rsi), %zmm6
	vfmadd231ps	%zmm0, %zmm23, %zmm13
	vfmadd231ps	%zmm10, %zmm23, %zmm1
	vpbroadcastd	-24(%rsi), %zmm5
	vpbroadcastd	-20(%rsi), %zmm4
	vfmadd231ps	%zmm0, %zmm8, %zmm20
	vfmadd231ps	%zmm0, %zmm7, %zmm19
	vpbroadcastd	-16(%rsi), %zmm3
	vpbroadcastd	-12(%rsi), %zmm2
	vfmadd231ps	%zmm0, %zmm6, %zmm18
	vfmadd231ps	%zmm0, %zmm5, %zmm17
	vpbroadcastd	-4(%rsi), %zmm23
	vfmadd231ps	%zmm0, %zmm4, %zmm16
	vfmadd231ps	%zmm0, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm2, %zmm14
	vfmadd132ps	%zmm10, %zmm24, %zmm8
	vfmadd132ps	%zmm10, %zmm25, %zmm7
	vfmadd132ps	%zmm10, %zmm26, %zmm6
	vfmadd132ps	%zmm10, %zmm27, %zmm5
	vfmadd132ps	%zmm10, %zmm28, %zmm4
	vfmadd132ps	%zmm10, %zmm29, %zmm3
	vfmadd132ps	%zmm10, %zmm30, %zmm2
	vfmadd132ps	%zmm23, %zmm11, %zmm0
	vfmadd231ps	%zmm10, %zmm23, %zmm12
	cmpq	%rsi, %rdx
	jne	.L1575
	testq	%r15, %r15
	je	.L1576
	vaddps	(%rbx), %zmm21, %zmm21
	vaddps	64(%rbx), %zmm9, %zmm9
	vaddps	128(%rbx), %zmm20, %zmm20
	vaddps	192(%rbx), %zmm8, %zmm8
	vaddps	256(%rbx), %zmm19, %zmm19
	vaddps	320(%rbx), %zmm7, %zmm7
	vaddps	384(%rbx), %zmm18, %zmm18
	vmovups	%zmm21, (%rbx)
	vaddps	448(%rbx), %zmm6, %zmm6
	vaddps	512(%rbx), %zmm17, %zmm17
	vaddps	576(%rbx), %zmm5, %zmm5
	vmovups	%zmm9, 64(%rbx)
	vaddps	640(%rbx), %zmm16, %zmm16
	vaddps	704(%rbx), %zmm4, %zmm4
	vmovups	%zmm20, 128(%rbx)
	vaddps	768(%rbx), %zmm15, %zmm15
	vaddps	832(%rbx), %zmm3, %zmm3
	vmovups	%zmm8, 192(%rbx)
	vaddps	896(%rbx), %zmm14, %zmm14
	vaddps	960(%rbx), %zmm2, %zmm2
	vmovups	%zmm19, 256(%rbx)
	vmovups	%zmm7, 320(%rbx)
	vmovups	%zmm18, 384(%rbx)
	vmovups	%zmm6, 448(%rbx)
	vmovups	%zmm17, 512(%rbx)
	vmovups	%zmm5, 576(%rbx)
	vmovups	%zmm16, 640(%rbx)
	vmovups	%zmm4, 704(%rbx)
	vmovups	%zmm15, 768(%rbx)
	vmovups	%zmm3, 832(%rbx)
	vmovups	%zmm14, 896(%rbx)
	vmovups	%zmm2, 960(%rbx)
	vaddps	1024(%rbx), %zmm13, %zmm13
	vaddps	1152(%rbx), %zmm0, %zmm0
	vaddps	1088(%rbx), %zmm1, %zmm1
	vmovups	%zmm0, 1152(%rbx)
	vmovups	1216(%rbx), %zmm0
	vmovups	%zmm13, 1024(%rbx)
	vmovups	%zmm1, 1088(%rbx)
.L1577:
	vaddps	%zmm12, %zmm0, %zmm0
	vmovups	%zmm0, 1216(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1576:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm21, %zmm21
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm20, %zmm20
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm18, %zmm18
	vmovups	%zmm0, 1152(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm17, %zmm17
	vmovups	%zmm21, (%rbx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm9, 64(%rbx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm15, %zmm15
	vmovups	%zmm20, 128(%rbx)
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm14, %zmm14
	vmovups	%zmm8, 192(%rbx)
	vaddps	%zmm31, %zmm2, %zmm2
	vaddps	%zmm31, %zmm13, %zmm13
	vmovups	%zmm19, 256(%rbx)
	vmovups	%zmm7, 320(%rbx)
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm18, 384(%rbx)
	vmovups	%zmm6, 448(%rbx)
	vmovups	%zmm17, 512(%rbx)
	vmovups	%zmm5, 576(%rbx)
	vmovups	%zmm16, 640(%rbx)
	vmovups	%zmm4, 704(%rbx)
	vmovups	%zmm15, 768(%rbx)
	vmovups	%zmm3, 832(%rbx)
	vmovups	%zmm14, 896(%rbx)
	vmovups	%zmm2, 960(%rbx)
	vmovups	%zmm13, 1024(%rbx)
	vmovups	%zmm1, 1088(%rbx)
	jmp	.L1577
.L1753:
	movq	%rdx, %rax
	leaq	(%rdi,%rdi,4), %rdx
	vxorps	%xmm13, %xmm13, %xmm13
	movl	$-65536, %ecx
	leaq	(%rdi,%rdx,2), %rdx
	vmovaps	%zmm13, %zmm0
	vmovaps	%zmm13, %zmm1
	leaq	(%rsi,%rdx,8), %rdx
	vmovaps	%zmm13, %zmm21
	vmovaps	%zmm13, %zmm2
	vmovaps	%zmm13, %zmm22
	vmovaps	%zmm13, %zmm3
	vmovaps	%zmm13, %zmm23
	vmovaps	%zmm13, %zmm4
	vmovaps	%zmm13, %zmm14
	vmovaps	%zmm13, %zmm5
	vmovaps	%zmm13, %zmm15
	vmovaps	%zmm13, %zmm6
	vmovaps	%zmm13, %zmm16
	vmovaps	%zmm13, %zmm7
	vmovaps	%zmm13, %zmm17
	vmovaps	%zmm13, %zmm8
	vmovaps	%zmm13, %zmm18
	vmovaps	%zmm13, %zmm9
	vmovaps	%zmm13, %zmm19
	vmovaps	%zmm13, %zmm10
	vmovaps	%zmm13, %zmm20
	vpbroadcastd	%ecx, %zmm24
.L1571:
	vpbroadcastd	(%rsi), %zmm25
	addq	$88, %rsi
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vpslld	$16, -4096(%rax), %zmm12
	subq	$-128, %rax
	vpslld	$16, -4160(%rax), %zmm11
	vfmadd231ps	%zmm12, %zmm25, %zmm20
	vfmadd132ps	%zmm11, %zmm10, %zmm25
	vpbroadcastd	-84(%rsi), %zmm10
	vfmadd231ps	%zmm12, %zmm10, %zmm19
	vfmadd132ps	%zmm11, %zmm9, %zmm10
	vpbroadcastd	-80(%rsi), %zmm9
	vfmadd231ps	%zmm12, %zmm9, %zmm18
	vfmadd132ps	%zmm11, %zmm8, %zmm9
	vpbroadcastd	-76(%rsi), %zmm8
	vfmadd231ps	%zmm12, %zmm8, %zmm17
	vfmadd132ps	%zmm11, %zmm7, %zmm8
	vpbroadcastd	-72(%rsi), %zmm7
	vfmadd231ps	%zmm12, %zmm7, %zmm16
	vfmadd132ps	%zmm11, %zmm6, %zmm7
	vpbroadcastd	-68(%rsi), %zmm6
	vmovaps	%zmm10, %zmm26
	vfmadd231ps	%zmm12, %zmm6, %zmm15
	vfmadd132ps	%zmm11, %zmm5, %zmm6
	vpbroadcastd	-64(%rsi), %zmm5
	vmovaps	%zmm9, %zmm27
	vfmadd231ps	%zmm12, %zmm5, %zmm14
	vfmadd231ps	%zmm11, %zmm5, %zmm4
	vpbroadcastd	-60(%rsi), %zmm5
	vmovaps	%zmm8, %zmm28
	vfmadd231ps	%zmm12, %zmm5, %zmm23
	vfmadd231ps	%zmm11, %zmm5, %zmm3
	vpbroadcastd	-56(%rsi), %zmm5
	vmovaps	%zmm7, %zmm29
	vfmadd231ps	%zmm12, %zmm5, %zmm22
	vfmadd231ps	%zmm11, %zmm5, %zmm2
	vpbroadcastd	-52(%rsi), %zmm5
	vmovaps	%zmm6, %zmm30
	vfmadd231ps	%zmm12, %zmm5, %zmm21
	vfmadd231ps	%zmm11, %zmm5, %zmm1
	vpbroadcastd	-48(%rsi), %zmm5
	vpbroadcastd	-44(%rsi), %zmm10
	vfmadd132ps	%zmm5, %zmm0, %zmm12
	vfmadd231ps	%zmm11, %zmm5, %zmm13
	vpandd	-4224(%rax), %zmm24, %zmm0
	vpbroadcastd	-40(%rsi), %zmm9
	vpandd	-4160(%rax), %zmm24, %zmm11
	vfmadd231ps	%zmm0, %zmm10, %zmm20
	vpbroadcastd	-36(%rsi), %zmm8
	vfmadd132ps	%zmm11, %zmm25, %zmm10
	vpbroadcastd	-20(%rsi), %zmm25
	vpbroadcastd	-32(%rsi), %zmm7
	vfmadd231ps	%zmm0, %zmm25, %zmm14
	vfmadd231ps	%zmm11, %zmm25, %zmm4
	vpbroadcastd	-16(%rsi), %zmm25
	vpbroadcastd	-28(%rsi), %zmm6
	vfmadd231ps	%zmm0, %zmm25, %zmm23
	vfmadd231ps	%zmm11, %zmm25, %zmm3
	vpbroadcastd	-12(%rsi), %zmm25
	vpbroadcastd	-24(%rsi), %zmm5
	vfmadd231ps	%zmm0, %zmm25, %zmm22
	vfmadd231ps	%zmm11, %zmm25, %zmm2
	vpbroadcastd	-8(%rsi), %zmm25
	vfmadd231ps	%zmm0, %zmm25, %zmm21
	vfmadd231ps	%zmm11, %zmm25, %zmm1
	vpbroadcastd	-4(%rsi), %zmm25
	vfmadd231ps	%zmm0, %zmm9, %zmm19
	vfmadd231ps	%zmm0, %zmm8, %zmm18
	vfmadd231ps	%zmm0, %zmm7, %zmm17
	vfmadd231ps	%zmm0, %zmm6, %zmm16
	vfmadd231ps	%zmm0, %zmm5, %zmm15
	vfmadd132ps	%zmm11, %zmm26, %zmm9
	vfmadd132ps	%zmm11, %zmm27, %zmm8
	vfmadd132ps	%zmm11, %zmm28, %zmm7
	vfmadd132ps	%zmm11, %zmm29, %zmm6
	vfmadd132ps	%zmm11, %zmm30, %zmm5
	vfmadd132ps	%zmm25, %zmm12, %zmm0
	vfmadd231ps	%zmm11, %zmm25, %zmm13
	cmpq	%rdx, %rsi
	jne	.L1571
	testq	%r15, %r15
	je	.L1572
	vaddps	(%rbx), %zmm20, %zmm20
	vaddps	64(%rbx), %zmm10, %zmm10
	vaddps	128(%rbx), %zmm19, %zmm19
	vaddps	192(%rbx), %zmm9, %zmm9
	vaddps	256(%rbx), %zmm18, %zmm18
	vaddps	320(%rbx), %zmm8, %zmm8
	vaddps	384(%rbx), %zmm17, %zmm17
	vmovups	%zmm20, (%rbx)
	vaddps	448(%rbx), %zmm7, %zmm7
	vaddps	512(%rbx), %zmm16, %zmm16
	vaddps	576(%rbx), %zmm6, %zmm6
	vmovups	%zmm10, 64(%rbx)
	vaddps	640(%rbx), %zmm15, %zmm15
	vaddps	704(%rbx), %zmm5, %zmm5
	vmovups	%zmm19, 128(%rbx)
	vaddps	768(%rbx), %zmm14, %zmm14
	vaddps	832(%rbx), %zmm4, %zmm4
	vmovups	%zmm9, 192(%rbx)
	vaddps	896(%rbx), %zmm23, %zmm23
	vaddps	960(%rbx), %zmm3, %zmm3
	vmovups	%zmm18, 256(%rbx)
	vmovups	%zmm8, 320(%rbx)
	vmovups	%zmm17, 384(%rbx)
	vmovups	%zmm7, 448(%rbx)
	vmovups	%zmm16, 512(%rbx)
	vmovups	%zmm6, 576(%rbx)
	vmovups	%zmm15, 640(%rbx)
	vmovups	%zmm5, 704(%rbx)
	vmovups	%zmm14, 768(%rbx)
	vmovups	%zmm4, 832(%rbx)
	vmovups	%zmm23, 896(%rbx)
	vmovups	%zmm3, 960(%rbx)
	vaddps	1024(%rbx), %zmm22, %zmm22
	vaddps	1280(%rbx), %zmm0, %zmm0
	vaddps	1088(%rbx), %zmm2, %zmm2
	vaddps	1152(%rbx), %zmm21, %zmm21
	vaddps	1216(%rbx), %zmm1, %zmm1
	vmovups	%zmm0, 1280(%rbx)
	vmovups	1344(%rbx), %zmm0
	vmovups	%zmm22, 1024(%rbx)
	vmovups	%zmm2, 1088(%rbx)
	vmovups	%zmm21, 1152(%rbx)
	vmovups	%zmm1, 1216(%rbx)
.L1573:
	vaddps	%zmm13, %zmm0, %zmm0
	vmovups	%zmm0, 1344(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1572:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm20, %zmm20
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm17, %zmm17
	vmovups	%zmm0, 1280(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm20, (%rbx)
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm15, %zmm15
	vmovups	%zmm10, 64(%rbx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm14, %zmm14
	vmovups	%zmm19, 128(%rbx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm23, %zmm23
	vmovups	%zmm9, 192(%rbx)
	vaddps	%zmm31, %zmm3, %zmm3
	vaddps	%zmm31, %zmm22, %zmm22
	vmovups	%zmm18, 256(%rbx)
	vaddps	%zmm31, %zmm2, %zmm2
	vaddps	%zmm31, %zmm21, %zmm21
	vmovups	%zmm8, 320(%rbx)
	vmovups	%zmm17, 384(%rbx)
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm7, 448(%rbx)
	vmovups	%zmm16, 512(%rbx)
	vmovups	%zmm6, 576(%rbx)
	vmovups	%zmm15, 640(%rbx)
	vmovups	%zmm5, 704(%rbx)
	vmovups	%zmm14, 768(%rbx)
	vmovups	%zmm4, 832(%rbx)
	vmovups	%zmm23, 896(%rbx)
	vmovups	%zmm3, 960(%rbx)
	vmovups	%zmm22, 1024(%rbx)
	vmovups	%zmm2, 1088(%rbx)
	vmovups	%zmm21, 1152(%rbx)
	vmovups	%zmm1, 1216(%rbx)
	jmp	.L1573
.L1752:
	movq	%rdx, %rax
	leaq	(%rdi,%rdi,2), %rdx
	vxorps	%xmm14, %xmm14, %xmm14
	movl	$-65536, %ecx
	salq	$5, %rdx
	vmovaps	%zmm14, %zmm0
	vmovaps	%zmm14, %zmm3
	addq	%rsi, %rdx
	vmovaps	%zmm14, %zmm20
	vmovaps	%zmm14, %zmm4
	vmovaps	%zmm14, %zmm21
	vmovaps	%zmm14, %zmm5
	vmovaps	%zmm14, %zmm22
	vmovaps	%zmm14, %zmm6
	vmovaps	%zmm14, %zmm23
	vmovaps	%zmm14, %zmm7
	vmovaps	%zmm14, %zmm24
	vmovaps	%zmm14, %zmm8
	vmovaps	%zmm14, %zmm25
	vmovaps	%zmm14, %zmm9
	vmovaps	%zmm14, %zmm15
	vmovaps	%zmm14, %zmm10
	vmovaps	%zmm14, %zmm16
	vmovaps	%zmm14, %zmm11
	vmovaps	%zmm14, %zmm17
	vmovaps	%zmm14, %zmm12
	vmovaps	%zmm14, %zmm18
	vmovaps	%zmm14, %zmm13
	vmovaps	%zmm14, %zmm19
	vpbroadcastd	%ecx, %zmm26
.L1567:
	vpbroadcastd	(%rsi), %zmm27
	addq	$96, %rsi
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vpslld	$16, -4096(%rax), %zmm2
	subq	$-128, %rax
	vpslld	$16, -4160(%rax), %zmm1
	vfmadd231ps	%zmm2, %zmm27, %zmm19
	vfmadd132ps	%zmm1, %zmm13, %zmm27
	vpbroadcastd	-92(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm18
	vfmadd132ps	%zmm1, %zmm12, %zmm13
	vpbroadcastd	-88(%rsi), %zmm12
	vfmadd231ps	%zmm2, %zmm12, %zmm17
	vfmadd132ps	%zmm1, %zmm11, %zmm12
	vpbroadcastd	-84(%rsi), %zmm11
	vfmadd231ps	%zmm2, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm10, %zmm11
	vpbroadcastd	-80(%rsi), %zmm10
	vfmadd231ps	%zmm2, %zmm10, %zmm15
	vfmadd231ps	%zmm1, %zmm10, %zmm9
	vpbroadcastd	-76(%rsi), %zmm10
	vmovaps	%zmm13, %zmm28
	vfmadd231ps	%zmm2, %zmm10, %zmm25
	vfmadd231ps	%zmm1, %zmm10, %zmm8
	vpbroadcastd	-72(%rsi), %zmm10
	vmovaps	%zmm12, %zmm29
	vfmadd231ps	%zmm2, %zmm10, %zmm24
	vfmadd231ps	%zmm1, %zmm10, %zmm7
	vpbroadcastd	-68(%rsi), %zmm10
	vmovaps	%zmm11, %zmm30
	vfmadd231ps	%zmm2, %zmm10, %zmm23
	vfmadd231ps	%zmm1, %zmm10, %zmm6
	vpbroadcastd	-64(%rsi), %zmm10
	vpbroadcastd	-48(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm10, %zmm22
	vfmadd231ps	%zmm1, %zmm10, %zmm5
	vpbroadcastd	-60(%rsi), %zmm10
	vpbroadcastd	-44(%rsi), %zmm12
	vfmadd231ps	%zmm2, %zmm10, %zmm21
	vfmadd231ps	%zmm1, %zmm10, %zmm4
	vpbroadcastd	-56(%rsi), %zmm10
	vpbroadcastd	-40(%rsi), %zmm11
	vfmadd231ps	%zmm2, %zmm10, %zmm20
	vfmadd231ps	%zmm1, %zmm10, %zmm3
	vpbroadcastd	-52(%rsi), %zmm10
	vfmadd132ps	%zmm10, %zmm0, %zmm2
	vfmadd231ps	%zmm1, %zmm10, %zmm14
	vpandd	-4224(%rax), %zmm26, %zmm0
	vpbroadcastd	-36(%rsi), %zmm10
	vpandd	-4160(%rax), %zmm26, %zmm1
	vfmadd231ps	%zmm0, %zmm13, %zmm19
	vfmadd132ps	%zmm1, %zmm27, %zmm13
	vpbroadcastd	-32(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm15
	vfmadd231ps	%zmm1, %zmm27, %zmm9
	vpbroadcastd	-28(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm25
	vfmadd231ps	%zmm1, %zmm27, %zmm8
	vpbroadcastd	-24(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm24
	vfmadd231ps	%zmm1, %zmm27, %zmm7
	vpbroadcastd	-20(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm23
	vfmadd231ps	%zmm1, %zmm27, %zmm6
	vpbroadcastd	-16(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm22
	vfmadd231ps	%zmm1, %zmm27, %zmm5
	vpbroadcastd	-12(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm21
	vfmadd231ps	%zmm1, %zmm27, %zmm4
	vpbroadcastd	-8(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm27, %zmm20
	vfmadd231ps	%zmm1, %zmm27, %zmm3
	vpbroadcastd	-4(%rsi), %zmm27
	vfmadd231ps	%zmm0, %zmm12, %zmm18
	vfmadd231ps	%zmm0, %zmm11, %zmm17
	vfmadd231ps	%zmm0, %zmm10, %zmm16
	vfmadd132ps	%zmm1, %zmm28, %zmm12
	vfmadd132ps	%zmm1, %zmm29, %zmm11
	vfmadd132ps	%zmm1, %zmm30, %zmm10
	vfmadd132ps	%zmm27, %zmm2, %zmm0
	vfmadd231ps	%zmm1, %zmm27, %zmm14
	cmpq	%rsi, %rdx
	jne	.L1567
	testq	%r15, %r15
	je	.L1568
	vaddps	(%rbx), %zmm19, %zmm19
	vaddps	64(%rbx), %zmm13, %zmm13
	vaddps	128(%rbx), %zmm18, %zmm18
	vaddps	192(%rbx), %zmm12, %zmm12
	vaddps	256(%rbx), %zmm17, %zmm17
	vaddps	320(%rbx), %zmm11, %zmm11
	vaddps	384(%rbx), %zmm16, %zmm16
	vmovups	%zmm19, (%rbx)
	vaddps	448(%rbx), %zmm10, %zmm10
	vaddps	512(%rbx), %zmm15, %zmm15
	vaddps	576(%rbx), %zmm9, %zmm9
	vmovups	%zmm13, 64(%rbx)
	vaddps	640(%rbx), %zmm25, %zmm25
	vaddps	704(%rbx), %zmm8, %zmm8
	vmovups	%zmm18, 128(%rbx)
	vaddps	768(%rbx), %zmm24, %zmm24
	vaddps	832(%rbx), %zmm7, %zmm7
	vmovups	%zmm12, 192(%rbx)
	vaddps	896(%rbx), %zmm23, %zmm23
	vaddps	960(%rbx), %zmm6, %zmm6
	vmovups	%zmm17, 256(%rbx)
	vmovups	%zmm11, 320(%rbx)
	vmovups	%zmm16, 384(%rbx)
	vmovups	%zmm10, 448(%rbx)
	vmovups	%zmm15, 512(%rbx)
	vmovups	%zmm9, 576(%rbx)
	vmovups	%zmm25, 640(%rbx)
	vmovups	%zmm8, 704(%rbx)
	vmovups	%zmm24, 768(%rbx)
	vmovups	%zmm7, 832(%rbx)
	vmovups	%zmm23, 896(%rbx)
	vmovups	%zmm6, 960(%rbx)
	vaddps	1024(%rbx), %zmm22, %zmm22
	vaddps	1408(%rbx), %zmm0, %zmm0
	vaddps	1088(%rbx), %zmm5, %zmm5
	vaddps	1152(%rbx), %zmm21, %zmm21
	vaddps	1216(%rbx), %zmm4, %zmm4
	vaddps	1280(%rbx), %zmm20, %zmm20
	vaddps	1344(%rbx), %zmm3, %zmm3
	vmovups	%zmm0, 1408(%rbx)
	vmovups	1472(%rbx), %zmm0
	vmovups	%zmm22, 1024(%rbx)
	vmovups	%zmm5, 1088(%rbx)
	vmovups	%zmm21, 1152(%rbx)
	vmovups	%zmm4, 1216(%rbx)
	vmovups	%zmm20, 1280(%rbx)
	vmovups	%zmm3, 1344(%rbx)
.L1569:
	vaddps	%zmm14, %zmm0, %zmm0
	vmovups	%zmm0, 1472(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1568:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm13, %zmm13
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	%zmm31, %zmm12, %zmm12
	vaddps	%zmm31, %zmm17, %zmm17
	vaddps	%zmm31, %zmm11, %zmm11
	vaddps	%zmm31, %zmm16, %zmm16
	vmovups	%zmm0, 1408(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm15, %zmm15
	vmovups	%zmm19, (%rbx)
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm25, %zmm25
	vmovups	%zmm13, 64(%rbx)
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm24, %zmm24
	vmovups	%zmm18, 128(%rbx)
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm23, %zmm23
	vmovups	%zmm12, 192(%rbx)
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm22, %zmm22
	vmovups	%zmm17, 256(%rbx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm21, %zmm21
	vmovups	%zmm11, 320(%rbx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm20, %zmm20
	vmovups	%zmm16, 384(%rbx)
	vmovups	%zmm10, 448(%rbx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm15, 512(%rbx)
	vmovups	%zmm9, 576(%rbx)
	vmovups	%zmm25, 640(%rbx)
	vmovups	%zmm8, 704(%rbx)
	vmovups	%zmm24, 768(%rbx)
	vmovups	%zmm7, 832(%rbx)
	vmovups	%zmm23, 896(%rbx)
	vmovups	%zmm6, 960(%rbx)
	vmovups	%zmm22, 1024(%rbx)
	vmovups	%zmm5, 1088(%rbx)
	vmovups	%zmm21, 1152(%rbx)
	vmovups	%zmm4, 1216(%rbx)
	vmovups	%zmm20, 1280(%rbx)
	vmovups	%zmm3, 1344(%rbx)
	jmp	.L1569
.L1751:
	movq	%rdx, %rax
	leaq	(%rdi,%rdi,2), %rdx
	vxorps	%xmm15, %xmm15, %xmm15
	movl	$-65536, %ecx
	leaq	(%rdi,%rdx,4), %rdx
	vmovaps	%zmm15, %zmm0
	vmovaps	%zmm15, %zmm3
	leaq	(%rsi,%rdx,8), %rdx
	vmovaps	%zmm15, %zmm19
	vmovaps	%zmm15, %zmm4
	vmovaps	%zmm15, %zmm20
	vmovaps	%zmm15, %zmm5
	vmovaps	%zmm15, %zmm21
	vmovaps	%zmm15, %zmm6
	vmovaps	%zmm15, %zmm22
	vmovaps	%zmm15, %zmm7
	vmovaps	%zmm15, %zmm23
	vmovaps	%zmm15, %zmm8
	vmovaps	%zmm15, %zmm24
	vmovaps	%zmm15, %zmm9
	vmovaps	%zmm15, %zmm25
	vmovaps	%zmm15, %zmm10
	vmovaps	%zmm15, %zmm26
	vmovaps	%zmm15, %zmm11
	vmovaps	%zmm15, %zmm27
	vmovaps	%zmm15, %zmm12
	vmovaps	%zmm15, %zmm16
	vmovaps	%zmm15, %zmm13
	vmovaps	%zmm15, %zmm17
	vmovaps	%zmm15, %zmm14
	vmovaps	%zmm15, %zmm18
	vpbroadcastd	%ecx, %zmm28
.L1563:
	vpbroadcastd	(%rsi), %zmm29
	addq	$104, %rsi
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vpslld	$16, -4096(%rax), %zmm2
	subq	$-128, %rax
	vpslld	$16, -4160(%rax), %zmm1
	vfmadd231ps	%zmm2, %zmm29, %zmm18
	vfmadd132ps	%zmm1, %zmm14, %zmm29
	vpbroadcastd	-100(%rsi), %zmm14
	vfmadd231ps	%zmm2, %zmm14, %zmm17
	vfmadd132ps	%zmm1, %zmm13, %zmm14
	vpbroadcastd	-96(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm16
	vfmadd231ps	%zmm1, %zmm13, %zmm12
	vpbroadcastd	-92(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm27
	vfmadd231ps	%zmm1, %zmm13, %zmm11
	vpbroadcastd	-88(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm26
	vfmadd231ps	%zmm1, %zmm13, %zmm10
	vpbroadcastd	-84(%rsi), %zmm13
	vmovaps	%zmm14, %zmm30
	vfmadd231ps	%zmm2, %zmm13, %zmm25
	vfmadd231ps	%zmm1, %zmm13, %zmm9
	vpbroadcastd	-80(%rsi), %zmm13
	vpbroadcastd	-52(%rsi), %zmm14
	vfmadd231ps	%zmm2, %zmm13, %zmm24
	vfmadd231ps	%zmm1, %zmm13, %zmm8
	vpbroadcastd	-76(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm23
	vfmadd231ps	%zmm1, %zmm13, %zmm7
	vpbroadcastd	-72(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm22
	vfmadd231ps	%zmm1, %zmm13, %zmm6
	vpbroadcastd	-68(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm21
	vfmadd231ps	%zmm1, %zmm13, %zmm5
	vpbroadcastd	-64(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm20
	vfmadd231ps	%zmm1, %zmm13, %zmm4
	vpbroadcastd	-60(%rsi), %zmm13
	vfmadd231ps	%zmm2, %zmm13, %zmm19
	vfmadd231ps	%zmm1, %zmm13, %zmm3
	vpbroadcastd	-56(%rsi), %zmm13
	vfmadd132ps	%zmm13, %zmm0, %zmm2
	vfmadd231ps	%zmm1, %zmm13, %zmm15
	vpandd	-4224(%rax), %zmm28, %zmm0
	vpbroadcastd	-48(%rsi), %zmm13
	vpandd	-4160(%rax), %zmm28, %zmm1
	vfmadd231ps	%zmm0, %zmm14, %zmm18
	vfmadd132ps	%zmm1, %zmm29, %zmm14
	vpbroadcastd	-44(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm16
	vfmadd231ps	%zmm1, %zmm29, %zmm12
	vpbroadcastd	-40(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm27
	vfmadd231ps	%zmm1, %zmm29, %zmm11
	vpbroadcastd	-36(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm26
	vfmadd231ps	%zmm1, %zmm29, %zmm10
	vpbroadcastd	-32(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm25
	vfmadd231ps	%zmm1, %zmm29, %zmm9
	vpbroadcastd	-28(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm24
	vfmadd231ps	%zmm1, %zmm29, %zmm8
	vpbroadcastd	-24(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm23
	vfmadd231ps	%zmm1, %zmm29, %zmm7
	vpbroadcastd	-20(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm22
	vfmadd231ps	%zmm1, %zmm29, %zmm6
	vpbroadcastd	-16(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm21
	vfmadd231ps	%zmm1, %zmm29, %zmm5
	vpbroadcastd	-12(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm20
	vfmadd231ps	%zmm1, %zmm29, %zmm4
	vpbroadcastd	-8(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm29, %zmm19
	vfmadd231ps	%zmm1, %zmm29, %zmm3
	vpbroadcastd	-4(%rsi), %zmm29
	vfmadd231ps	%zmm0, %zmm13, %zmm17
	vfmadd231ps	%zmm1, %zmm29, %zmm15
	vfmadd132ps	%zmm1, %zmm30, %zmm13
	vfmadd132ps	%zmm29, %zmm2, %zmm0
	cmpq	%rsi, %rdx
	jne	.L1563
	testq	%r15, %r15
	je	.L1564
	vaddps	(%rbx), %zmm18, %zmm18
	vaddps	64(%rbx), %zmm14, %zmm14
	vaddps	128(%rbx), %zmm17, %zmm17
	vaddps	192(%rbx), %zmm13, %zmm13
	vaddps	256(%rbx), %zmm16, %zmm16
	vaddps	320(%rbx), %zmm12, %zmm12
	vaddps	384(%rbx), %zmm27, %zmm27
	vmovups	%zmm18, (%rbx)
	vaddps	448(%rbx), %zmm11, %zmm11
	vaddps	512(%rbx), %zmm26, %zmm26
	vaddps	576(%rbx), %zmm10, %zmm10
	vmovups	%zmm14, 64(%rbx)
	vaddps	640(%rbx), %zmm25, %zmm25
	vaddps	704(%rbx), %zmm9, %zmm9
	vmovups	%zmm17, 128(%rbx)
	vaddps	768(%rbx), %zmm24, %zmm24
	vaddps	832(%rbx), %zmm8, %zmm8
	vmovups	%zmm13, 192(%rbx)
	vaddps	896(%rbx), %zmm23, %zmm23
	vaddps	960(%rbx), %zmm7, %zmm7
	vmovups	%zmm16, 256(%rbx)
	vmovups	%zmm12, 320(%rbx)
	vmovups	%zmm27, 384(%rbx)
	vmovups	%zmm11, 448(%rbx)
	vmovups	%zmm26, 512(%rbx)
	vmovups	%zmm10, 576(%rbx)
	vmovups	%zmm25, 640(%rbx)
	vmovups	%zmm9, 704(%rbx)
	vmovups	%zmm24, 768(%rbx)
	vmovups	%zmm8, 832(%rbx)
	vmovups	%zmm23, 896(%rbx)
	vmovups	%zmm7, 960(%rbx)
	vaddps	1024(%rbx), %zmm22, %zmm22
	vaddps	1536(%rbx), %zmm0, %zmm0
	vaddps	1088(%rbx), %zmm6, %zmm6
	vaddps	1152(%rbx), %zmm21, %zmm21
	vaddps	1216(%rbx), %zmm5, %zmm5
	vaddps	1280(%rbx), %zmm20, %zmm20
	vaddps	1344(%rbx), %zmm4, %zmm4
	vaddps	1408(%rbx), %zmm19, %zmm19
	vmovups	%zmm0, 1536(%rbx)
	vaddps	1472(%rbx), %zmm3, %zmm3
	vmovups	1600(%rbx), %zmm0
	vmovups	%zmm22, 1024(%rbx)
	vmovups	%zmm6, 1088(%rbx)
	vmovups	%zmm21, 1152(%rbx)
	vmovups	%zmm5, 1216(%rbx)
	vmovups	%zmm20, 1280(%rbx)
	vmovups	%zmm4, 1344(%rbx)
	vmovups	%zmm19, 1408(%rbx)
	vmovups	%zmm3, 1472(%rbx)
.L1565:
	vaddps	%zmm15, %zmm0, %zmm0
	vmovups	%zmm0, 1600(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1564:
	vaddps	%zmm31, %zmm0, %zmm0
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	%zmm31, %zmm14, %zmm14
	vaddps	%zmm31, %zmm17, %zmm17
	vaddps	%zmm31, %zmm13, %zmm13
	vaddps	%zmm31, %zmm16, %zmm16
	vaddps	%zmm31, %zmm12, %zmm12
	vaddps	%zmm31, %zmm27, %zmm27
	vmovups	%zmm0, 1536(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm31, %zmm11, %zmm11
	vaddps	%zmm31, %zmm26, %zmm26
	vmovups	%zmm18, (%rbx)
	vaddps	%zmm31, %zmm10, %zmm10
	vaddps	%zmm31, %zmm25, %zmm25
	vmovups	%zmm14, 64(%rbx)
	vaddps	%zmm31, %zmm9, %zmm9
	vaddps	%zmm31, %zmm24, %zmm24
	vmovups	%zmm17, 128(%rbx)
	vaddps	%zmm31, %zmm8, %zmm8
	vaddps	%zmm31, %zmm23, %zmm23
	vmovups	%zmm13, 192(%rbx)
	vaddps	%zmm31, %zmm7, %zmm7
	vaddps	%zmm31, %zmm22, %zmm22
	vmovups	%zmm16, 256(%rbx)
	vaddps	%zmm31, %zmm6, %zmm6
	vaddps	%zmm31, %zmm21, %zmm21
	vmovups	%zmm12, 320(%rbx)
	vaddps	%zmm31, %zmm5, %zmm5
	vaddps	%zmm31, %zmm20, %zmm20
	vmovups	%zmm27, 384(%rbx)
	vaddps	%zmm31, %zmm4, %zmm4
	vaddps	%zmm31, %zmm19, %zmm19
	vmovups	%zmm11, 448(%rbx)
	vmovups	%zmm26, 512(%rbx)
	vaddps	%zmm31, %zmm3, %zmm3
	vmovups	%zmm10, 576(%rbx)
	vmovups	%zmm25, 640(%rbx)
	vmovups	%zmm9, 704(%rbx)
	vmovups	%zmm24, 768(%rbx)
	vmovups	%zmm8, 832(%rbx)
	vmovups	%zmm23, 896(%rbx)
	vmovups	%zmm7, 960(%rbx)
	vmovups	%zmm22, 1024(%rbx)
	vmovups	%zmm6, 1088(%rbx)
	vmovups	%zmm21, 1152(%rbx)
	vmovups	%zmm5, 1216(%rbx)
	vmovups	%zmm20, 1280(%rbx)
	vmovups	%zmm4, 1344(%rbx)
	vmovups	%zmm19, 1408(%rbx)
	vmovups	%zmm3, 1472(%rbx)
	jmp	.L1565
.L1750:
	movq	%rdx, %rax
	leaq	0(,%rdi,8), %rdx
	movl	$-65536, %ecx
	subq	%rdi, %rdx
	vxorps	%xmm4, %xmm4, %xmm4
	vpbroadcastd	%ecx, %zmm5
	salq	$4, %rdx
	vmovaps	%zmm4, %zmm1
	vmovaps	%zmm4, 192(%rsp)
	vmovaps	%zmm4, %zmm20
	addq	%rsi, %rdx
	vmovaps	%zmm4, %zmm3
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, 256(%rsp)
	vmovaps	%zmm4, %zmm30
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, 320(%rsp)
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm24
	vmovdqa32	%zmm5, 128(%rsp)
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm29
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
.L1558:
	vpbroadcastd	(%rsi), %zmm5
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vpslld	$16, -4096(%rax), %zmm2
	vpbroadcastd	4(%rsi), %zmm9
	vpbroadcastd	20(%rsi), %zmm15
	vpslld	$16, -4032(%rax), %zmm0
	vpbroadcastd	44(%rsi), %zmm16
	vfmadd231ps	%zmm2, %zmm9, %zmm18
	vfmadd231ps	%zmm0, %zmm9, %zmm6
	vpbroadcastd	8(%rsi), %zmm9
	vfmadd231ps	%zmm2, %zmm15, %zmm27
	vfmadd231ps	%zmm0, %zmm15, %zmm10
	vpbroadcastd	24(%rsi), %zmm15
	vfmadd231ps	%zmm2, %zmm9, %zmm17
	vfmadd231ps	%zmm0, %zmm9, %zmm7
	vpbroadcastd	12(%rsi), %zmm9
	vfmadd231ps	%zmm2, %zmm15, %zmm26
	vfmadd231ps	%zmm0, %zmm15, %zmm11
	vpbroadcastd	28(%rsi), %zmm15
	vfmadd231ps	%zmm2, %zmm9, %zmm29
	vfmadd231ps	%zmm0, %zmm9, %zmm8
	vpbroadcastd	16(%rsi), %zmm9
	vfmadd231ps	%zmm2, %zmm15, %zmm25
	vfmadd231ps	%zmm0, %zmm15, %zmm12
	vpbroadcastd	32(%rsi), %zmm15
	vfmadd231ps	%zmm2, %zmm5, %zmm19
	vfmadd231ps	%zmm2, %zmm15, %zmm24
	vfmadd213ps	320(%rsp), %zmm0, %zmm5
	vfmadd231ps	%zmm0, %zmm15, %zmm13
	vpbroadcastd	36(%rsi), %zmm15
	vfmadd231ps	%zmm2, %zmm9, %zmm28
	vfmadd231ps	%zmm2, %zmm15, %zmm23
	vfmadd231ps	%zmm0, %zmm15, %zmm14
	vpbroadcastd	40(%rsi), %zmm15
	vfmadd213ps	256(%rsp), %zmm0, %zmm9
	vfmadd231ps	%zmm2, %zmm15, %zmm22
	vfmadd231ps	%zmm2, %zmm16, %zmm21
	vfmadd132ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	48(%rsi), %zmm3
	vfmadd132ps	%zmm0, %zmm30, %zmm15
	vfmadd231ps	%zmm2, %zmm3, %zmm20
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	vpbroadcastd	52(%rsi), %zmm3
	vfmadd132ps	%zmm3, %zmm1, %zmm2
	vfmadd213ps	192(%rsp), %zmm0, %zmm3
	vmovdqa32	128(%rsp), %zmm0
	vpandd	-4096(%rax), %zmm0, %zmm1
	vpandd	-4032(%rax), %zmm0, %zmm0
	vmovaps	%zmm3, 192(%rsp)
	vpbroadcastd	56(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd132ps	%zmm0, %zmm5, %zmm3
	vmovaps	%zmm3, 320(%rsp)
	vpbroadcastd	60(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm18
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	64(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm7
	vpbroadcastd	68(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	72(%rsi), %zmm3
	vmovaps	%zmm3, %zmm5
	vfmadd231ps	%zmm1, %zmm3, %zmm28
	vfmadd132ps	%zmm0, %zmm9, %zmm5
	vmovaps	%zmm5, 256(%rsp)
	vpbroadcastd	76(%rsi), %zmm3
	vpbroadcastd	96(%rsi), %zmm30
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm1, %zmm30, %zmm22
	vpbroadcastd	104(%rsi), %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	80(%rsi), %zmm3
	vfmadd132ps	%zmm0, %zmm15, %zmm30
	vfmadd231ps	%zmm1, %zmm3, %zmm26
	vfmadd231ps	%zmm1, %zmm5, %zmm20
	vfmadd231ps	%zmm0, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm5, %zmm4
	vpbroadcastd	84(%rsi), %zmm3
	vpbroadcastd	108(%rsi), %zmm5
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	88(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm24
	vfmadd231ps	%zmm0, %zmm3, %zmm13
	vpbroadcastd	92(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	100(%rsi), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd132ps	%zmm5, %zmm2, %zmm1
	subq	$-128, %rax
	addq	$112, %rsi
	vfmadd213ps	192(%rsp), %zmm0, %zmm5
	vfmadd132ps	%zmm0, %zmm16, %zmm3
	vmovaps	%zmm5, 192(%rsp)
	cmpq	%rdx, %rsi
	jne	.L1558
	testq	%r15, %r15
	jne	.L1559
	vaddps	%zmm31, %zmm19, %zmm19
	vaddps	%zmm31, %zmm18, %zmm18
	vaddps	320(%rsp), %zmm31, %zmm0
	vmovups	%zmm19, (%rbx)
	vmovups	%zmm0, 64(%rbx)
	vaddps	%zmm6, %zmm31, %zmm0
	vmovups	%zmm18, 128(%rbx)
	vmovups	%zmm0, 192(%rbx)
	vaddps	%zmm31, %zmm17, %zmm0
	vmovups	%zmm0, 256(%rbx)
	vaddps	%zmm7, %zmm31, %zmm0
	vmovups	%zmm0, 320(%rbx)
	vaddps	%zmm31, %zmm29, %zmm0
	vmovups	%zmm0, 384(%rbx)
	vaddps	%zmm8, %zmm31, %zmm0
	vmovups	%zmm0, 448(%rbx)
	vaddps	%zmm31, %zmm28, %zmm0
	vmovups	%zmm0, 512(%rbx)
	vaddps	256(%rsp), %zmm31, %zmm0
	vmovups	%zmm0, 576(%rbx)
	vaddps	%zmm31, %zmm27, %zmm0
	vmovups	%zmm0, 640(%rbx)
	vaddps	%zmm10, %zmm31, %zmm0
	vmovups	%zmm0, 704(%rbx)
	vaddps	%zmm31, %zmm26, %zmm0
	vmovups	%zmm0, 768(%rbx)
	vaddps	%zmm11, %zmm31, %zmm0
	vmovups	%zmm0, 832(%rbx)
	vaddps	%zmm31, %zmm25, %zmm0
	vmovups	%zmm0, 896(%rbx)
	vaddps	%zmm12, %zmm31, %zmm0
	vmovups	%zmm0, 960(%rbx)
	vaddps	%zmm31, %zmm24, %zmm0
	vmovups	%zmm0, 1024(%rbx)
	vaddps	%zmm13, %zmm31, %zmm0
	vmovups	%zmm0, 1088(%rbx)
	vaddps	%zmm31, %zmm23, %zmm0
	vmovups	%zmm0, 1152(%rbx)
	vaddps	%zmm14, %zmm31, %zmm0
	vmovups	%zmm0, 1216(%rbx)
	vaddps	%zmm31, %zmm22, %zmm0
	vmovups	%zmm0, 1280(%rbx)
	vaddps	%zmm31, %zmm30, %zmm0
	vmovups	%zmm0, 1344(%rbx)
	vaddps	%zmm31, %zmm21, %zmm0
	vmovups	%zmm0, 1408(%rbx)
	vaddps	%zmm31, %zmm3, %zmm0
	vmovups	%zmm0, 1472(%rbx)
	vaddps	%zmm31, %zmm20, %zmm0
	vmovups	%zmm0, 1536(%rbx)
	vaddps	%zmm31, %zmm4, %zmm0
	vmovups	%zmm0, 1600(%rbx)
	vaddps	%zmm31, %zmm1, %zmm0
	vmovups	%zmm0, 1664(%rbx)
	vxorps	%xmm0, %xmm0, %xmm0
.L1560:
	vaddps	192(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, 1728(%rbx)
	movl	16(%r13), %r8d
	movq	80(%r10), %r9
	jmp	.L1561
.L1559:
	vaddps	128(%rbx), %zmm18, %zmm18
	vaddps	(%rbx), %zmm19, %zmm19
	vmovaps	320(%rsp), %zmm5
	vaddps	64(%rbx), %zmm5, %zmm0
	vmovaps	256(%rsp), %zmm5
	vaddps	256(%rbx), %zmm17, %zmm17
	vaddps	384(%rbx), %zmm29, %zmm29
	vmovups	%zmm19, (%rbx)
	vaddps	512(%rbx), %zmm28, %zmm28
	vmovups	%zmm0, 64(%rbx)
	vaddps	192(%rbx), %zmm6, %zmm0
	vaddps	640(%rbx), %zmm27, %zmm27
	vaddps	768(%rbx), %zmm26, %zmm26
	vaddps	896(%rbx), %zmm25, %zmm25
	vmovups	%zmm18, 128(%rbx)
	vmovups	%zmm17, 256(%rbx)
	vmovups	%zmm0, 192(%rbx)
	vaddps	320(%rbx), %zmm7, %zmm0
	vmovups	%zmm29, 384(%rbx)
	vmovups	%zmm28, 512(%rbx)
	vmovups	%zmm0, 320(%rbx)
	vaddps	448(%rbx), %zmm8, %zmm0
	vmovups	%zmm27, 640(%rbx)
	vmovups	%zmm26, 768(%rbx)
	vmovups	%zmm0, 448(%rbx)
	vaddps	576(%rbx), %zmm5, %zmm0
	vmovups	%zmm25, 896(%rbx)
	vmovups	%zmm0, 576(%rbx)
	vaddps	704(%rbx), %zmm10, %zmm0
	vmovups	%zmm0, 704(%rbx)
	vaddps	832(%rbx), %zmm11, %zmm0
	vmovups	%zmm0, 832(%rbx)
	vaddps	960(%rbx), %zmm12, %zmm0
	vaddps	1024(%rbx), %zmm24, %zmm24
	vaddps	1152(%rbx), %zmm23, %zmm23
	vaddps	1280(%rbx), %zmm22, %zmm22
	vaddps	1408(%rbx), %zmm21, %zmm21
	vaddps	1536(%rbx), %zmm20, %zmm20
	vmovups	%zmm0, 960(%rbx)
	vaddps	1088(%rbx), %zmm13, %zmm0
	vaddps	1600(%rbx), %zmm4, %zmm4
	vaddps	1664(%rbx), %zmm1, %zmm1
	vmovups	%zmm24, 1024(%rbx)
	vmovups	%zmm23, 1152(%rbx)
	vmovups	%zmm0, 1088(%rbx)
	vaddps	1216(%rbx), %zmm14, %zmm0
	vmovups	%zmm22, 1280(%rbx)
	vmovups	%zmm21, 1408(%rbx)
	vmovups	%zmm0, 1216(%rbx)
	vaddps	1344(%rbx), %zmm30, %zmm0
	vmovups	%zmm20, 1536(%rbx)
	vmovups	%zmm4, 1600(%rbx)
	vmovups	%zmm0, 1344(%rbx)
	vaddps	1472(%rbx), %zmm3, %zmm0
	vmovups	%zmm1, 1664(%rbx)
	vmovups	%zmm0, 1472(%rbx)
	vmovups	1728(%rbx), %zmm0
	jmp	.L1560
	.cfi_endproc
.LFE7045:
	.size	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_15PairsOfBFloat16EEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, .-_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_15PairsOfBFloat16EEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0:
.LFB7707:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$520, %rsp
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %r8
	movq	(%rax), %rsi
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%r8), %rdx
	testq	%r8, %r8
	movq	%r8, %rax
	vmovups	%zmm0, 96(%rsp)
	cmovs	%rdx, %rax
	leaq	254(%r8), %rcx
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vmovups	%zmm0, 288(%rsp)
	movq	%rax, %r10
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %r10
	testq	%rdx, %rdx
	vmovups	%zmm0, 416(%rsp)
	cmovns	%rdx, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %r8
	jle	.L1770
	movq	%rax, %rdx
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%rdx
	leaq	-56(%rsp,%rdx,4), %r9
	.p2align 4,,10
	.p2align 3
.L1769:
	movzwl	(%rsi,%rax,2), %edx
	vmovdqu8	%xmm1, -86(%rsp)
	vmovdqu8	%xmm1, -72(%rsp)
	movw	%dx, -88(%rsp)
	vpmovzxwd	-88(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovss	%xmm0, 24(%r9,%rax,4)
	addq	$1, %rax
	cmpq	%rax, %r8
	jne	.L1769
.L1770:
	xorl	%eax, %eax
	testq	%r8, %r8
	jle	.L1765
	movq	8(%rdi), %rax
	movq	(%rax), %r9
	movq	16(%rdi), %rax
	vmovss	(%rax), %xmm3
	vbroadcastss	%xmm3, %zmm4
	cmpq	$127, %r8
	jle	.L1777
	cmpq	%rcx, %r10
	movl	$1, %edi
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	cmovg	%rcx, %r10
	vpbroadcastd	%edi, %zmm6
	xorl	%eax, %eax
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L1773:
	vmovss	(%r9,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1772
	vpmovzxwd	(%rsi), %zmm0
	vpmovzxwd	32(%rsi), %zmm1
	vpslld	$16, %zmm0, %zmm0
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm0, %zmm4, %k1
	vmovdqa32	%zmm6, %zmm0{%k1}{z}
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	64(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	96(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	128(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	160(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	192(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	224(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vextracti32x4	$1, %ymm0, %xmm7
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$5, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	valignd	$6, %ymm0, %ymm0, %ymm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$7, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	vextracti32x8	$0x1, %zmm0, %ymm0
	valignd	$5, %ymm0, %ymm0, %ymm2
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	vextracti32x4	$1, %ymm0, %xmm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$6, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rdi, %rax
	vmovd	%xmm2, %edi
	valignd	$7, %ymm0, %ymm0, %ymm2
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	cltq
	addq	%rax, %rdi
	vmovd	%xmm2, %eax
	cltq
	addq	%rdi, %rax
.L1772:
	addq	$1, %rdx
	addq	$256, %rsi
	cmpq	%r10, %rdx
	jl	.L1773
	cmpq	%rcx, %rdx
	jge	.L1765
.L1771:
	vpternlogd	$0xFF, %zmm0, %zmm0, %zmm0
	movl	$1, %esi
	vcmpps	$1, 352(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vcmpps	$1, 288(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm5{%k1}{z}
	vcmpps	$1, 224(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm6{%k1}{z}
	vcmpps	$1, 160(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm7{%k1}{z}
	vcmpps	$1, 96(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm8{%k1}{z}
	vcmpps	$1, 32(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm9{%k1}{z}
	vcmpps	$1, -32(%rsp), %zmm4, %k1
	vpbroadcastd	%esi, %zmm2{%k1}{z}
	vcmpps	$1, 416(%rsp), %zmm4, %k1
	vpsubd	%zmm9, %zmm2, %zmm2
	vpsubd	%zmm8, %zmm2, %zmm2
	vpsubd	%zmm7, %zmm2, %zmm2
	vpsubd	%zmm6, %zmm2, %zmm2
	vpsubd	%zmm5, %zmm2, %zmm2
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovd	%xmm2, %r8d
	vpextrd	$1, %xmm2, %edi
	vmovdqa	%ymm2, %ymm4
	vmovdqa	%xmm2, %xmm5
	movslq	%r8d, %r8
	movslq	%edi, %rdi
	.p2align 4,,10
	.p2align 3
.L1775:
	vmovss	(%r9,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1774
	vextracti32x4	$1, %ymm4, %xmm6
	addq	%r8, %rax
	vpextrd	$2, %xmm5, %esi
	vextracti32x8	$0x1, %zmm2, %ymm1
	valignd	$6, %ymm1, %ymm1, %ymm7
	addq	%rdi, %rax
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm5, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$6, %ymm4, %ymm4, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$7, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	vextracti32x4	$1, %ymm1, %xmm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$1, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vpextrd	$2, %xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm1, %ymm1, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$7, %ymm1, %ymm1, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm7, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	cltq
	addq	%rsi, %rax
.L1774:
	addq	$1, %rdx
	cmpq	%rdx, %rcx
	jg	.L1775
.L1765:
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1777:
	.cfi_restore_state
	xorl	%eax, %eax
	xorl	%edx, %edx
	jmp	.L1771
	.cfi_endproc
.LFE7707:
	.size	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEf, @function
_ZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEf:
.LFB6809:
	.cfi_startproc
	subq	$56, %rsp
	.cfi_def_cfa_offset 64
	movl	8(%rdi), %eax
	leaq	12(%rsp), %rdx
	movq	%rdi, 16(%rsp)
	movq	%rsi, 24(%rsp)
	movq	%rdx, 32(%rsp)
	vmovss	%xmm0, 12(%rsp)
	cmpl	$1, %eax
	je	.L1783
	cmpl	$2, %eax
	je	.L1784
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0
	addq	$56, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L1783:
	.cfi_restore_state
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0
	addq	$56, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L1784:
	.cfi_restore_state
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0
	addq	$56, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE6809:
	.size	_ZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEf, .-_ZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEf
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0:
.LFB7708:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$520, %rsp
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rdx
	movq	16(%rdx), %rax
	movq	(%rdx), %rbx
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%rax), %rdx
	testq	%rax, %rax
	movq	%rax, %r15
	movq	%rbx, -56(%rsp)
	cmovs	%rdx, %r15
	leaq	254(%rax), %r9
	vmovups	%zmm0, 96(%rsp)
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	sarq	$7, %r15
	testq	%rdx, %rdx
	cmovns	%rdx, %r9
	movq	%r15, %rdx
	movq	%r15, -48(%rsp)
	vmovups	%zmm0, 288(%rsp)
	salq	$7, %rdx
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %r9
	movq	%r9, -40(%rsp)
	vmovups	%zmm0, 416(%rsp)
	cmpq	%rdx, %rax
	jle	.L1794
	movq	%rdx, %rcx
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%rcx
	leaq	-56(%rsp,%rcx,4), %rsi
	.p2align 4,,10
	.p2align 3
.L1793:
	movzwl	(%rbx,%rdx,2), %ecx
	vmovdqu8	%xmm1, -86(%rsp)
	vmovdqu8	%xmm1, -72(%rsp)
	movw	%cx, -88(%rsp)
	vcvtph2ps	-88(%rsp), %zmm0
	vmovss	%xmm0, 24(%rsi,%rdx,4)
	addq	$1, %rdx
	cmpq	%rdx, %rax
	jne	.L1793
.L1794:
	xorl	%edx, %edx
	testq	%rax, %rax
	jle	.L1789
	movq	8(%r13), %rdx
	movq	16(%r13), %rsi
	movq	(%rdx), %r14
	cmpq	$127, %rax
	jle	.L1835
	cmpq	%r9, %r15
	movl	$143, %r11d
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	cmovg	%r9, %r15
	xorl	%r12d, %r12d
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	.p2align 4,,10
	.p2align 3
.L1814:
	vmovss	(%r14,%r8,4), %xmm0
	vucomiss	(%rsi), %xmm0
	jnb	.L2040
.L1796:
	addq	$1, %r8
	subq	$-128, %r11
	subq	$-128, %r12
	addq	$256, %rbx
	cmpq	%r15, %r8
	jl	.L1814
	cmpq	%r9, %r8
	jge	.L1789
.L1795:
	movq	%r8, %rbx
	leaq	480(%rsp), %r11
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	salq	$7, %rbx
	jmp	.L1833
	.p2align 4,,10
	.p2align 3
.L1815:
	addq	$1, %r8
	subq	$-128, %rbx
	cmpq	%r8, %r9
	jle	.L1789
.L1833:
	vmovss	(%r14,%r8,4), %xmm0
	vucomiss	(%rsi), %xmm0
	jb	.L1815
	leaq	-32(%rsp), %rdi
	movl	%ebx, %r10d
	movq	%rbx, %rcx
	jmp	.L1832
	.p2align 4,,10
	.p2align 3
.L1816:
	addq	$64, %rdi
	addq	$16, %rcx
	addl	$16, %r10d
	cmpq	%rdi, %r11
	je	.L1815
.L1832:
	vmovss	(%rsi), %xmm0
	vmovups	(%rdi), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L1816
	vmovaps	%ymm2, %ymm1
	cmpq	%rcx, %rax
	jle	.L1817
	vcomiss	%xmm0, %xmm2
	jb	.L1817
	movq	24(%r13), %r12
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r10d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1817:
	leaq	1(%rcx), %r12
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1818
	vcomiss	%xmm0, %xmm3
	jb	.L1818
	movq	24(%r13), %r12
	leal	1(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1818:
	leaq	2(%rcx), %r12
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1819
	vcomiss	%xmm0, %xmm3
	jb	.L1819
	movq	24(%r13), %r12
	leal	2(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1819:
	leaq	3(%rcx), %r12
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1820
	vcomiss	%xmm0, %xmm3
	jb	.L1820
	movq	24(%r13), %r12
	leal	3(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1820:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	4(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1821
	vcomiss	%xmm0, %xmm3
	jb	.L1821
	movq	24(%r13), %r12
	leal	4(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1821:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	5(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1822
	vcomiss	%xmm0, %xmm3
	jb	.L1822
	movq	24(%r13), %r12
	leal	5(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1822:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	6(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1823
	vcomiss	%xmm0, %xmm3
	jb	.L1823
	movq	24(%r13), %r12
	leal	6(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1823:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	7(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1824
	vcomiss	%xmm0, %xmm1
	jb	.L1824
	movq	24(%r13), %r12
	leal	7(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm1, (%r12)
	vmovss	(%rsi), %xmm0
.L1824:
	leaq	8(%rcx), %r12
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r12, %rax
	jle	.L1825
	vcomiss	%xmm0, %xmm2
	jb	.L1825
	movq	24(%r13), %r12
	leal	8(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1825:
	leaq	9(%rcx), %r12
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1826
	vcomiss	%xmm0, %xmm2
	jb	.L1826
	movq	24(%r13), %r12
	leal	9(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1826:
	leaq	10(%rcx), %r12
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1827
	vcomiss	%xmm0, %xmm2
	jb	.L1827
	movq	24(%r13), %r12
	leal	10(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1827:
	leaq	11(%rcx), %r12
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1828
	vcomiss	%xmm0, %xmm2
	jb	.L1828
	movq	24(%r13), %r12
	leal	11(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1828:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	12(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1829
	vcomiss	%xmm0, %xmm2
	jb	.L1829
	movq	24(%r13), %r12
	leal	12(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1829:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	13(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1830
	vcomiss	%xmm0, %xmm2
	jb	.L1830
	movq	24(%r13), %r12
	leal	13(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1830:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	14(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1831
	vcomiss	%xmm0, %xmm2
	jb	.L1831
	movq	24(%r13), %r12
	leal	14(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1831:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	15(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1816
	vcomiss	%xmm0, %xmm1
	jb	.L1816
	movq	24(%r13), %r12
	leal	15(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm1, (%r12)
	jmp	.L1816
.L1789:
	vzeroupper
	leaq	-40(%rbp), %rsp
	movq	%rdx, %rax
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1835:
	.cfi_restore_state
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	jmp	.L1795
.L2040:
	movq	%r8, -96(%rsp)
	leaq	-128(%r11), %rcx
	movl	%r12d, %edi
	movq	%rbx, %r10
	vmovq	%r14, %xmm5
	jmp	.L1813
	.p2align 4,,10
	.p2align 3
.L1797:
	addq	$16, %rcx
	addq	$32, %r10
	addl	$16, %edi
	cmpq	%rcx, %r11
	je	.L2041
.L1813:
	vmovss	(%rsi), %xmm0
	vcvtph2ps	(%r10), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L1797
	leaq	-15(%rcx), %r14
	vmovaps	%ymm2, %ymm1
	cmpq	%r14, %rax
	jle	.L1798
	vcomiss	%xmm0, %xmm2
	jb	.L1798
	movq	24(%r13), %r14
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%edi, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1798:
	leaq	-14(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1799
	vcomiss	%xmm0, %xmm3
	jb	.L1799
	movq	24(%r13), %r14
	leal	1(%rdi), %r8d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1799:
	leaq	-13(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1800
	vcomiss	%xmm0, %xmm3
	jb	.L1800
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	2(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1800:
	leaq	-12(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1801
	vcomiss	%xmm0, %xmm3
	jb	.L1801
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	3(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1801:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	-11(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1802
	vcomiss	%xmm0, %xmm3
	jb	.L1802
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	4(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1802:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	-10(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1803
	vcomiss	%xmm0, %xmm3
	jb	.L1803
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	5(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1803:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	-9(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1804
	vcomiss	%xmm0, %xmm3
	jb	.L1804
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	6(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1804:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	-8(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1805
	vcomiss	%xmm0, %xmm1
	jb	.L1805
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	7(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm1, (%r14)
	vmovss	(%rsi), %xmm0
.L1805:
	leaq	-7(%rcx), %r14
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r14, %rax
	jle	.L1806
	vcomiss	%xmm0, %xmm2
	jb	.L1806
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	8(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1806:
	leaq	-6(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1807
	vcomiss	%xmm0, %xmm2
	jb	.L1807
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	9(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1807:
	leaq	-5(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1808
	vcomiss	%xmm0, %xmm2
	jb	.L1808
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	10(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1808:
	leaq	-4(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1809
	vcomiss	%xmm0, %xmm2
	jb	.L1809
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	11(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1809:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	-3(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1810
	vcomiss	%xmm0, %xmm2
	jb	.L1810
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	12(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1810:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	-2(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1811
	vcomiss	%xmm0, %xmm2
	jb	.L1811
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	13(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1811:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	-1(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1812
	vcomiss	%xmm0, %xmm2
	jb	.L1812
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	14(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1812:
	valignd	$7, %ymm1, %ymm1, %ymm1
	cmpq	%rcx, %rax
	jle	.L1797
	vcomiss	%xmm0, %xmm1
	jb	.L1797
	movq	24(%r13), %r8
	addq	$16, %rcx
	addq	$32, %r10
	movq	(%r8), %r14
	leal	15(%rdi), %r8d
	addl	$16, %edi
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm1, (%r14)
	cmpq	%rcx, %r11
	jne	.L1813
.L2041:
	movq	-96(%rsp), %r8
	vmovq	%xmm5, %r14
	jmp	.L1796
	.cfi_endproc
.LFE7708:
	.size	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0:
.LFB7709:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	movq	%rdi, %r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$520, %rsp
	.cfi_offset 3, -56
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rdx
	movq	16(%rdx), %rax
	movq	(%rdx), %r10
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%rax), %rdx
	testq	%rax, %rax
	movq	%rax, %r14
	movq	%r10, -56(%rsp)
	cmovs	%rdx, %r14
	leaq	254(%rax), %rsi
	vmovups	%zmm0, 96(%rsp)
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	sarq	$7, %r14
	testq	%rdx, %rdx
	cmovns	%rdx, %rsi
	movq	%r14, %rdx
	movq	%r14, -48(%rsp)
	vmovups	%zmm0, 288(%rsp)
	salq	$7, %rdx
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %rsi
	movq	%rsi, -40(%rsp)
	vmovups	%zmm0, 416(%rsp)
	cmpq	%rdx, %rax
	jle	.L2047
	movq	%rdx, %rcx
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%rcx
	leaq	-56(%rsp,%rcx,4), %rdi
	.p2align 4,,10
	.p2align 3
.L2046:
	movzwl	(%r10,%rdx,2), %ecx
	vmovdqu8	%xmm1, -86(%rsp)
	vmovdqu8	%xmm1, -72(%rsp)
	movw	%cx, -88(%rsp)
	vpmovzxwd	-88(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovss	%xmm0, 24(%rdi,%rdx,4)
	addq	$1, %rdx
	cmpq	%rdx, %rax
	jne	.L2046
.L2047:
	xorl	%edx, %edx
	testq	%rax, %rax
	jle	.L2042
	movq	8(%r12), %rdx
	movq	16(%r12), %rbx
	movq	(%rdx), %r13
	cmpq	$127, %rax
	jle	.L2088
	cmpq	%rsi, %r14
	movl	$143, %r9d
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	cmovg	%rsi, %r14
	xorl	%r11d, %r11d
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	.p2align 4,,10
	.p2align 3
.L2067:
	vmovss	0(%r13,%r8,4), %xmm0
	vucomiss	(%rbx), %xmm0
	jnb	.L2293
.L2049:
	addq	$1, %r8
	subq	$-128, %r9
	subq	$-128, %r11
	addq	$256, %r10
	cmpq	%r14, %r8
	jl	.L2067
	cmpq	%rsi, %r8
	jge	.L2042
.L2048:
	movq	%r8, %r11
	leaq	480(%rsp), %r10
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	salq	$7, %r11
	jmp	.L2086
	.p2align 4,,10
	.p2align 3
.L2068:
	addq	$1, %r8
	subq	$-128, %r11
	cmpq	%r8, %rsi
	jle	.L2042
.L2086:
	vmovss	0(%r13,%r8,4), %xmm0
	vucomiss	(%rbx), %xmm0
	jb	.L2068
	leaq	-32(%rsp), %rdi
	movl	%r11d, %r9d
	movq	%r11, %rcx
	jmp	.L2085
	.p2align 4,,10
	.p2align 3
.L2069:
	addq	$64, %rdi
	addq	$16, %rcx
	addl	$16, %r9d
	cmpq	%rdi, %r10
	je	.L2068
.L2085:
	vmovss	(%rbx), %xmm0
	vmovups	(%rdi), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L2069
	vmovaps	%ymm2, %ymm1
	cmpq	%rcx, %rax
	jle	.L2070
	vcomiss	%xmm0, %xmm2
	jb	.L2070
	movq	24(%r12), %r14
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r9d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2070:
	leaq	1(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2071
	vcomiss	%xmm0, %xmm3
	jb	.L2071
	movq	24(%r12), %r14
	leal	1(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2071:
	leaq	2(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2072
	vcomiss	%xmm0, %xmm3
	jb	.L2072
	movq	24(%r12), %r14
	leal	2(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2072:
	leaq	3(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2073
	vcomiss	%xmm0, %xmm3
	jb	.L2073
	movq	24(%r12), %r14
	leal	3(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2073:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	4(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2074
	vcomiss	%xmm0, %xmm3
	jb	.L2074
	movq	24(%r12), %r14
	leal	4(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2074:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	5(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2075
	vcomiss	%xmm0, %xmm3
	jb	.L2075
	movq	24(%r12), %r14
	leal	5(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2075:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	6(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2076
	vcomiss	%xmm0, %xmm3
	jb	.L2076
	movq	24(%r12), %r14
	leal	6(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2076:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	7(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2077
	vcomiss	%xmm0, %xmm1
	jb	.L2077
	movq	24(%r12), %r14
	leal	7(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm1, (%r14)
	vmovss	(%rbx), %xmm0
.L2077:
	leaq	8(%rcx), %r14
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r14, %rax
	jle	.L2078
	vcomiss	%xmm0, %xmm2
	jb	.L2078
	movq	24(%r12), %r14
	leal	8(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2078:
	leaq	9(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2079
	vcomiss	%xmm0, %xmm2
	jb	.L2079
	movq	24(%r12), %r14
	leal	9(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2079:
	leaq	10(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2080
	vcomiss	%xmm0, %xmm2
	jb	.L2080
	movq	24(%r12), %r14
	leal	10(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2080:
	leaq	11(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2081
	vcomiss	%xmm0, %xmm2
	jb	.L2081
	movq	24(%r12), %r14
	leal	11(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2081:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	12(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2082
	vcomiss	%xmm0, %xmm2
	jb	.L2082
	movq	24(%r12), %r14
	leal	12(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2082:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	13(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2083
	vcomiss	%xmm0, %xmm2
	jb	.L2083
	movq	24(%r12), %r14
	leal	13(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2083:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	14(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2084
	vcomiss	%xmm0, %xmm2
	jb	.L2084
	movq	24(%r12), %r14
	leal	14(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2084:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	15(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2069
	vcomiss	%xmm0, %xmm1
	jb	.L2069
	movq	24(%r12), %r14
	leal	15(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm1, (%r14)
	jmp	.L2069
.L2042:
	vzeroupper
	leaq	-40(%rbp), %rsp
	movq	%rdx, %rax
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2088:
	.cfi_restore_state
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	jmp	.L2048
.L2293:
	movq	%rsi, -96(%rsp)
	leaq	-128(%r9), %rcx
	movl	%r11d, %edi
	movq	%r10, %r15
	vmovq	%r13, %xmm5
	jmp	.L2066
	.p2align 4,,10
	.p2align 3
.L2050:
	addq	$16, %rcx
	addq	$32, %r15
	addl	$16, %edi
	cmpq	%rcx, %r9
	je	.L2294
.L2066:
	vpmovzxwd	(%r15), %zmm1
	vmovss	(%rbx), %xmm0
	vpslld	$16, %zmm1, %zmm1
	vbroadcastss	%xmm0, %zmm2
	vcmpps	$2, %zmm1, %zmm2, %k1
	vmovdqa32	%zmm4, %zmm2{%k1}{z}
	vpmovd2m	%zmm2, %k0
	kortestw	%k0, %k0
	je	.L2050
	leaq	-15(%rcx), %r13
	vmovaps	%ymm1, %ymm2
	cmpq	%r13, %rax
	jle	.L2051
	vcomiss	%xmm0, %xmm1
	jb	.L2051
	movq	24(%r12), %r13
	movq	0(%r13), %r13
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%edi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2051:
	leaq	-14(%rcx), %r13
	vshufps	$85, %xmm2, %xmm2, %xmm3
	cmpq	%r13, %rax
	jle	.L2052
	vcomiss	%xmm0, %xmm3
	jb	.L2052
	movq	24(%r12), %r13
	leal	1(%rdi), %esi
	movq	0(%r13), %r13
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2052:
	leaq	-13(%rcx), %r13
	vunpckhps	%xmm2, %xmm2, %xmm3
	cmpq	%r13, %rax
	jle	.L2053
	vcomiss	%xmm0, %xmm3
	jb	.L2053
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	2(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2053:
	leaq	-12(%rcx), %r13
	vshufps	$255, %xmm2, %xmm2, %xmm3
	cmpq	%r13, %rax
	jle	.L2054
	vcomiss	%xmm0, %xmm3
	jb	.L2054
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	3(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2054:
	vextractf32x4	$1, %ymm2, %xmm3
	leaq	-11(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2055
	vcomiss	%xmm0, %xmm3
	jb	.L2055
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	4(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2055:
	valignd	$5, %ymm2, %ymm2, %ymm3
	leaq	-10(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2056
	vcomiss	%xmm0, %xmm3
	jb	.L2056
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	5(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2056:
	valignd	$6, %ymm2, %ymm2, %ymm3
	leaq	-9(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2057
	vcomiss	%xmm0, %xmm3
	jb	.L2057
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	6(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2057:
	valignd	$7, %ymm2, %ymm2, %ymm2
	leaq	-8(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2058
	vcomiss	%xmm0, %xmm2
	jb	.L2058
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	7(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm2, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2058:
	leaq	-7(%rcx), %r13
	vextractf32x8	$0x1, %zmm1, %ymm2
	vextractf32x4	$2, %zmm1, %xmm1
	cmpq	%r13, %rax
	jle	.L2059
	vcomiss	%xmm0, %xmm1
	jb	.L2059
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	8(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2059:
	leaq	-6(%rcx), %r13
	vshufps	$85, %xmm2, %xmm2, %xmm1
	cmpq	%r13, %rax
	jle	.L2060
	vcomiss	%xmm0, %xmm1
	jb	.L2060
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	9(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2060:
	leaq	-5(%rcx), %r13
	vunpckhps	%xmm2, %xmm2, %xmm1
	cmpq	%r13, %rax
	jle	.L2061
	vcomiss	%xmm0, %xmm1
	jb	.L2061
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	10(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2061:
	leaq	-4(%rcx), %r13
	vshufps	$255, %xmm2, %xmm2, %xmm1
	cmpq	%r13, %rax
	jle	.L2062
	vcomiss	%xmm0, %xmm1
	jb	.L2062
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	11(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2062:
	vextractf32x4	$1, %ymm2, %xmm1
	leaq	-3(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2063
	vcomiss	%xmm0, %xmm1
	jb	.L2063
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	12(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2063:
	valignd	$5, %ymm2, %ymm2, %ymm1
	leaq	-2(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2064
	vcomiss	%xmm0, %xmm1
	jb	.L2064
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	13(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2064:
	valignd	$6, %ymm2, %ymm2, %ymm1
	leaq	-1(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2065
	vcomiss	%xmm0, %xmm1
	jb	.L2065
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	14(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2065:
	valignd	$7, %ymm2, %ymm2, %ymm2
	cmpq	%rcx, %rax
	jle	.L2050
	vcomiss	%xmm0, %xmm2
	jb	.L2050
	movq	24(%r12), %rsi
	addq	$16, %rcx
	addq	$32, %r15
	movq	(%rsi), %r13
	leal	15(%rdi), %esi
	addl	$16, %edi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm2, 0(%r13)
	cmpq	%rcx, %r9
	jne	.L2066
.L2294:
	movq	-96(%rsp), %rsi
	vmovq	%xmm5, %r13
	jmp	.L2049
	.cfi_endproc
.LFE7709:
	.size	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenE, @function
_ZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenE:
.LFB6815:
	.cfi_startproc
	subq	$56, %rsp
	.cfi_def_cfa_offset 64
	movl	8(%rdi), %eax
	leaq	12(%rsp), %rcx
	movq	%rdx, (%rsp)
	movq	%rsp, %rdx
	vmovss	%xmm0, 12(%rsp)
	vmovq	%rcx, %xmm0
	vpinsrq	$1, %rdx, %xmm0, %xmm0
	movq	%rdi, 16(%rsp)
	movq	%rsi, 24(%rsp)
	vmovdqa	%xmm0, 32(%rsp)
	cmpl	$1, %eax
	je	.L2296
	cmpl	$2, %eax
	je	.L2297
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0
	addq	$56, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L2296:
	.cfi_restore_state
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0
	addq	$56, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L2297:
	.cfi_restore_state
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0
	addq	$56, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE6815:
	.size	_ZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenE, .-_ZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_114dequantise_rowEPKcNS_5DTypeEPffl, @function
_ZN10torchpaged12_GLOBAL__N_114dequantise_rowEPKcNS_5DTypeEPffl:
.LFB6743:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rcx, %r13
	pushq	%r12
	.cfi_offset 12, -48
	movq	%rdi, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rdx, %rbx
	andq	$-64, %rsp
	subq	$256, %rsp
	cmpl	$4, %esi
	je	.L2303
	cmpl	$5, %esi
	je	.L2304
	cmpl	$3, %esi
	je	.L2339
	cmpl	$1, %esi
	je	.L2317
	cmpl	$2, %esi
	je	.L2318
	testq	%rcx, %rcx
	jle	.L2336
	leaq	0(,%rcx,4), %r15
	leaq	-1(%rcx), %rcx
	vbroadcastss	%xmm0, %zmm0
	movl	$15, %r14d
	andq	$-16, %rcx
	addq	$31, %rcx
	jmp	.L2328
	.p2align 4,,10
	.p2align 3
.L2340:
	vmulps	(%r12), %zmm0, %zmm1
	vmovups	%zmm1, (%rbx)
.L2327:
	addq	$16, %r14
	addq	$64, %r12
	addq	$64, %rbx
	subq	$64, %r15
	cmpq	%r14, %rcx
	je	.L2338
.L2328:
	cmpq	%r14, %r13
	jg	.L2340
	movq	%rcx, 64(%rsp)
	movq	%r15, %rdx
	movq	%r12, %rsi
	vpxor	%xmm5, %xmm5, %xmm5
	vmovdqa64	%zmm5, 192(%rsp)
	leaq	192(%rsp), %rdi
	vmovaps	%zmm0, 128(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	%r15, %rdx
	movq	%rbx, %rdi
	vmovaps	128(%rsp), %zmm0
	movq	%rax, %rsi
	vmulps	192(%rsp), %zmm0, %zmm1
	vmovaps	%zmm1, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	64(%rsp), %rcx
	vmovaps	128(%rsp), %zmm0
	jmp	.L2327
	.p2align 4,,10
	.p2align 3
.L2303:
	testq	%rcx, %rcx
	jle	.L2336
	leaq	(%rdx,%rcx,4), %rax
	leaq	-1(%rcx), %r8
	vbroadcastss	%xmm0, %zmm6
	xorl	%r14d, %r14d
	movq	%rax, 40(%rsp)
	andq	$-16, %r8
	leaq	192(%rsp), %rax
	movl	$123, %r15d
	movq	%rax, 56(%rsp)
	movl	$127, %eax
	addq	$16, %r8
	vpbroadcastd	%eax, %zmm4
	vmovaps	%zmm6, 128(%rsp)
	vmovdqa32	%zmm4, 64(%rsp)
	jmp	.L2313
	.p2align 4,,10
	.p2align 3
.L2341:
	vpmovzxbd	(%r12,%r14), %zmm1
	vpandd	64(%rsp), %zmm1, %zmm0
	addq	$16, %r14
	addq	$64, %rbx
	vpbroadcastd	%r15d, %zmm2
	movl	$2139095040, %eax
	vpcmpd	$6, %zmm2, %zmm0, %k1
	vpslld	$21, %zmm0, %zmm0
	vmulps	.LC25(%rip), %zmm0, %zmm0
	vpbroadcastd	%eax, %zmm3{%k1}{z}
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm2, %zmm1, %zmm1
	vpslld	$24, %zmm1, %zmm1
	vpternlogd	$254, %zmm1, %zmm3, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, -64(%rbx)
	cmpq	%r8, %r14
	je	.L2338
.L2313:
	leaq	15(%r14), %rax
	cmpq	%rax, %r13
	jg	.L2341
	movq	%r8, 48(%rsp)
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	leaq	(%r12,%r14), %rsi
	movq	56(%rsp), %rdi
	subq	%r14, %rdx
	vmovdqa	%xmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movl	$2139095040, %eax
	movq	%rbx, %rdi
	vpbroadcastd	%r15d, %zmm2
	movq	40(%rsp), %rdx
	movq	56(%rsp), %rsi
	vpmovzxbd	192(%rsp), %zmm1
	vpandd	64(%rsp), %zmm1, %zmm0
	subq	%rbx, %rdx
	vpcmpd	$6, %zmm2, %zmm0, %k1
	vpslld	$21, %zmm0, %zmm0
	vmulps	.LC25(%rip), %zmm0, %zmm0
	vpbroadcastd	%eax, %zmm3{%k1}{z}
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm2, %zmm1, %zmm1
	vpslld	$24, %zmm1, %zmm1
	vpternlogd	$254, %zmm1, %zmm3, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %r14
	addq	$64, %rbx
	movq	48(%rsp), %r8
	cmpq	%r8, %r14
	jne	.L2313
	.p2align 4,,10
	.p2align 3
.L2338:
	vzeroupper
.L2336:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L2339:
	.cfi_restore_state
	testq	%rcx, %rcx
	jle	.L2336
	leaq	(%rdx,%rcx,4), %rax
	leaq	-1(%rcx), %r8
	vbroadcastss	%xmm0, %zmm4
	xorl	%r14d, %r14d
	movq	%rax, 48(%rsp)
	andq	$-16, %r8
	leaq	192(%rsp), %rax
	movl	$2143289344, %r15d
	movq	%rax, 64(%rsp)
	movl	$127, %eax
	addq	$16, %r8
	vmovaps	%zmm4, 128(%rsp)
	vpbroadcastd	%eax, %zmm3
	jmp	.L2309
	.p2align 4,,10
	.p2align 3
.L2342:
	vpmovzxbd	(%r12,%r14), %zmm1
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm3, %zmm1, %zmm0
	vpandd	%zmm2, %zmm1, %zmm1
	vpcmpd	$0, %zmm3, %zmm0, %k1
	vpslld	$20, %zmm0, %zmm0
	vmulps	.LC20(%rip), %zmm0, %zmm0
	vpslld	$24, %zmm1, %zmm1
	vpbroadcastd	%r15d, %zmm4{%k1}{z}
	vpternlogd	$254, %zmm1, %zmm4, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, (%rbx)
.L2308:
	addq	$16, %r14
	addq	$64, %rbx
	cmpq	%r8, %r14
	je	.L2338
.L2309:
	leaq	15(%r14), %rax
	cmpq	%r13, %rax
	jl	.L2342
	movq	%r8, 56(%rsp)
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	leaq	(%r12,%r14), %rsi
	movq	64(%rsp), %rdi
	subq	%r14, %rdx
	vmovdqa	%xmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movl	$128, %eax
	movq	48(%rsp), %rdx
	vpbroadcastd	%eax, %zmm2
	movq	64(%rsp), %rsi
	movq	%rbx, %rdi
	vmovdqa32	.LC17(%rip), %zmm3
	vpmovzxbd	192(%rsp), %zmm1
	subq	%rbx, %rdx
	vpandd	%zmm3, %zmm1, %zmm0
	vpandd	%zmm2, %zmm1, %zmm1
	vpcmpd	$0, %zmm3, %zmm0, %k1
	vpslld	$20, %zmm0, %zmm0
	vmulps	.LC20(%rip), %zmm0, %zmm0
	vpslld	$24, %zmm1, %zmm1
	vpbroadcastd	%r15d, %zmm4{%k1}{z}
	vpternlogd	$254, %zmm1, %zmm4, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	56(%rsp), %r8
	vmovdqa32	.LC17(%rip), %zmm3
	jmp	.L2308
	.p2align 4,,10
	.p2align 3
.L2304:
	testq	%rcx, %rcx
	jle	.L2336
	leaq	(%rdx,%rcx,4), %rax
	leaq	-1(%rcx), %r8
	vbroadcastss	%xmm0, %zmm6
	xorl	%r15d, %r15d
	movq	%rax, 56(%rsp)
	andq	$-16, %r8
	leaq	192(%rsp), %rax
	movq	%rax, 64(%rsp)
	leaq	16(%r8), %r14
	vmovaps	%zmm6, 128(%rsp)
	jmp	.L2316
	.p2align 4,,10
	.p2align 3
.L2343:
	vpmovsxbd	(%r12,%r15), %zmm0
	vcvtdq2ps	%zmm0, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, (%rbx)
.L2315:
	addq	$16, %r15
	addq	$64, %rbx
	cmpq	%r14, %r15
	je	.L2338
.L2316:
	leaq	15(%r15), %rax
	cmpq	%r13, %rax
	jl	.L2343
	movq	64(%rsp), %rdi
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	leaq	(%r12,%r15), %rsi
	vmovdqa	%xmm0, 192(%rsp)
	subq	%r15, %rdx
	vzeroupper
	call	memcpy@PLT
	movq	56(%rsp), %rdx
	movq	64(%rsp), %rsi
	vpmovsxbd	192(%rsp), %zmm0
	movq	%rbx, %rdi
	subq	%rbx, %rdx
	vcvtdq2ps	%zmm0, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	jmp	.L2315
	.p2align 4,,10
	.p2align 3
.L2318:
	testq	%rcx, %rcx
	jle	.L2336
	leaq	(%rcx,%rcx), %r15
	leaq	-1(%rcx), %rcx
	vbroadcastss	%xmm0, %zmm6
	movl	$15, %r14d
	vmovaps	%zmm6, 128(%rsp)
	andq	$-16, %rcx
	addq	$31, %rcx
	jmp	.L2325
	.p2align 4,,10
	.p2align 3
.L2344:
	vpmovzxwd	(%r12), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, (%rbx)
.L2324:
	addq	$16, %r14
	addq	$32, %r12
	addq	$64, %rbx
	subq	$32, %r15
	cmpq	%rcx, %r14
	je	.L2338
.L2325:
	cmpq	%r13, %r14
	jl	.L2344
	movq	%rcx, 64(%rsp)
	vpxor	%xmm6, %xmm6, %xmm6
	movq	%r15, %rdx
	movq	%r12, %rsi
	vmovdqa	%ymm6, 192(%rsp)
	leaq	192(%rsp), %rdi
	vzeroupper
	call	memcpy@PLT
	leaq	(%r15,%r15), %rdx
	movq	%rbx, %rdi
	vpmovzxwd	192(%rsp), %zmm0
	movq	%rax, %rsi
	vpslld	$16, %zmm0, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	64(%rsp), %rcx
	jmp	.L2324
	.p2align 4,,10
	.p2align 3
.L2317:
	testq	%rcx, %rcx
	jle	.L2336
	leaq	(%rcx,%rcx), %r15
	leaq	-1(%rcx), %rcx
	vbroadcastss	%xmm0, %zmm4
	movl	$15, %r14d
	vmovaps	%zmm4, 128(%rsp)
	andq	$-16, %rcx
	addq	$31, %rcx
	jmp	.L2322
	.p2align 4,,10
	.p2align 3
.L2345:
	vcvtph2ps	(%r12), %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, (%rbx)
.L2321:
	addq	$16, %r14
	addq	$32, %r12
	addq	$64, %rbx
	subq	$32, %r15
	cmpq	%rcx, %r14
	je	.L2338
.L2322:
	cmpq	%r13, %r14
	jl	.L2345
	movq	%rcx, 64(%rsp)
	vpxor	%xmm5, %xmm5, %xmm5
	movq	%r15, %rdx
	movq	%r12, %rsi
	vmovdqa	%ymm5, 192(%rsp)
	leaq	192(%rsp), %rdi
	vzeroupper
	call	memcpy@PLT
	leaq	(%r15,%r15), %rdx
	movq	%rbx, %rdi
	vcvtph2ps	192(%rsp), %zmm0
	movq	%rax, %rsi
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	64(%rsp), %rcx
	jmp	.L2321
	.cfi_endproc
.LFE6743:
	.size	_ZN10torchpaged12_GLOBAL__N_114dequantise_rowEPKcNS_5DTypeEPffl, .-_ZN10torchpaged12_GLOBAL__N_114dequantise_rowEPKcNS_5DTypeEPffl
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE11empty_totalEv, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE11empty_totalEv:
.LFB7091:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	pushq	%rbx
	movslq	200(%rdi), %rdx
	.cfi_offset 12, -24
	.cfi_offset 3, -32
	movq	%rdi, %rbx
	andq	$-64, %rsp
	testl	%edx, %edx
	jle	.L2353
	leal	-1(%rdx), %eax
	movq	64(%rdi), %rsi
	cmpl	$14, %eax
	jbe	.L2360
	vbroadcastss	.LC1(%rip), %zmm0
	movl	%edx, %ecx
	movq	%rsi, %rax
	shrl	$4, %ecx
	salq	$6, %rcx
	addq	%rsi, %rcx
	.p2align 4,,10
	.p2align 3
.L2351:
	vmovups	%zmm0, (%rax)
	addq	$64, %rax
	cmpq	%rax, %rcx
	jne	.L2351
	movl	%edx, %eax
	andl	$-16, %eax
	movl	%eax, %ecx
	cmpl	%edx, %eax
	je	.L2373
.L2350:
	movl	%edx, %edi
	subl	%ecx, %edi
	leal	-1(%rdi), %r8d
	cmpl	$6, %r8d
	jbe	.L2355
	vbroadcastss	.LC1(%rip), %ymm0
	vmovups	%ymm0, (%rsi,%rcx,4)
	movl	%edi, %ecx
	andl	$-8, %ecx
	addl	%ecx, %eax
	andl	$7, %edi
	je	.L2373
.L2355:
	vmovss	.LC1(%rip), %xmm0
	movslq	%eax, %rdi
	leaq	0(,%rdi,4), %rcx
	vmovss	%xmm0, (%rsi,%rdi,4)
	leal	1(%rax), %edi
	cmpl	%edi, %edx
	jle	.L2373
	leal	2(%rax), %edi
	vmovss	%xmm0, 4(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L2373
	leal	3(%rax), %edi
	vmovss	%xmm0, 8(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L2373
	leal	4(%rax), %edi
	vmovss	%xmm0, 12(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L2373
	leal	5(%rax), %edi
	vmovss	%xmm0, 16(%rsi,%rcx)
	cmpl	%edx, %edi
	jge	.L2373
	addl	$6, %eax
	vmovss	%xmm0, 20(%rsi,%rcx)
	cmpl	%edx, %eax
	jge	.L2373
	vmovss	%xmm0, 24(%rsi,%rcx)
	vzeroupper
	jmp	.L2353
	.p2align 4,,10
	.p2align 3
.L2373:
	vzeroupper
.L2353:
	movq	80(%rbx), %rdi
	salq	$6, %rdx
	xorl	%esi, %esi
	call	memset@PLT
	movslq	200(%rbx), %rdx
	movq	88(%rbx), %rdi
	xorl	%esi, %esi
	imulq	192(%rbx), %rdx
	salq	$2, %rdx
	call	memset@PLT
	movq	8(%rbx), %r8
	movl	200(%rbx), %edi
	movl	20(%r8), %esi
	testl	%edi, %edi
	jle	.L2349
	movq	80(%rbx), %rax
	movslq	%edi, %rcx
	movq	72(%rbx), %rdx
	salq	$6, %rcx
	addq	%rax, %rcx
	.p2align 4,,10
	.p2align 3
.L2359:
	vmovupd	(%rax), %zmm4
	addq	$64, %rax
	addq	$4, %rdx
	vextractf64x4	$0x1, %zmm4, %ymm0
	vaddps	%ymm4, %ymm0, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vaddps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vaddps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vshufps	$85, %xmm0, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm1
	vmovss	%xmm1, -4(%rdx)
	cmpq	%rax, %rcx
	jne	.L2359
.L2349:
	movq	32(%r8), %rdx
	movq	64(%rbx), %rax
	testq	%rdx, %rdx
	je	.L2375
	subl	48(%r8), %esi
	movq	192(%rbx), %rcx
	imull	%edi, %esi
	addq	$2, %rcx
	movslq	%esi, %rsi
	imulq	%rcx, %rsi
	leaq	(%rdx,%rsi,4), %r12
	movslq	%edi, %rdx
	movq	%rax, %rsi
	salq	$2, %rdx
	movq	%r12, %rdi
	vzeroupper
	call	memcpy@PLT
	movslq	200(%rbx), %rdx
	movq	72(%rbx), %rsi
	salq	$2, %rdx
	leaq	(%r12,%rdx), %rdi
	call	memcpy@PLT
	movl	200(%rbx), %eax
	movq	88(%rbx), %rsi
	leal	(%rax,%rax), %edx
	movslq	%edx, %rdx
	leaq	(%r12,%rdx,4), %rdi
	movslq	%eax, %rdx
	imulq	192(%rbx), %rdx
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	salq	$2, %rdx
	jmp	memcpy@PLT
	.p2align 4,,10
	.p2align 3
.L2375:
	.cfi_restore_state
	vmovq	80(%rbx), %xmm2
	vmovq	%rax, %xmm3
	vmovdqu	96(%rbx), %ymm5
	vpinsrq	$1, 88(%rbx), %xmm2, %xmm1
	vpinsrq	$1, 72(%rbx), %xmm3, %xmm0
	vmovdqu	%ymm5, 64(%rbx)
	vinserti128	$0x1, %xmm1, %ymm0, %ymm0
	vmovdqu	%ymm0, 96(%rbx)
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2360:
	.cfi_restore_state
	xorl	%ecx, %ecx
	xorl	%eax, %eax
	jmp	.L2350
	.cfi_endproc
.LFE7091:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE11empty_totalEv, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE11empty_totalEv
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110merge_rowsEPKcfS2_fPcNS_5DTypeEl, @function
_ZN10torchpaged12_GLOBAL__N_110merge_rowsEPKcfS2_fPcNS_5DTypeEl:
.LFB6713:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %rax
	vmovaps	%xmm0, %xmm4
	movq	%rsi, %r9
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 13, -24
	.cfi_offset 12, -32
	.cfi_offset 3, -40
	cmpl	$1, %ecx
	je	.L2377
	cmpl	$2, %ecx
	jne	.L2378
	testq	%r8, %r8
	jle	.L2543
	leaq	-1(%r8), %rcx
	leaq	-16(%r8), %rdi
	vxorps	%xmm5, %xmm5, %xmm5
	andq	$-16, %rcx
	vpternlogd	$0xFF, %zmm9, %zmm9, %zmm9
	leaq	-64(%rsp), %r10
	subq	%rcx, %rdi
	movl	$4194304, %ecx
	vpbroadcastd	%ecx, %zmm8
	movl	$1, %ecx
	vpbroadcastd	%ecx, %zmm7
	movl	$32767, %ecx
	vpbroadcastd	%ecx, %zmm6
	.p2align 4,,10
	.p2align 3
.L2449:
	movl	$16, %ecx
	cmpq	%rcx, %r8
	cmovle	%r8, %rcx
	vucomiss	%xmm5, %xmm4
	jp	.L2490
	je	.L2417
.L2490:
	cmpq	$15, %r8
	jg	.L2546
	vpxor	%xmm0, %xmm0, %xmm0
	addq	%rcx, %rcx
	movq	%r10, %r11
	movq	%r10, %r12
	vmovdqa	%ymm0, -64(%rsp)
	movq	%rax, %rsi
	cmpl	$8, %ecx
	jnb	.L2547
.L2423:
	xorl	%ebx, %ebx
	testb	$4, %cl
	je	.L2426
	movl	(%rsi), %ebx
	movl	%ebx, (%r12)
	movl	$4, %ebx
.L2426:
	testb	$2, %cl
	je	.L2428
	movzwl	(%rsi,%rbx), %esi
	movw	%si, (%r12,%rbx)
.L2428:
	vpmovzxwd	-64(%rsp), %zmm2
	vucomiss	%xmm5, %xmm1
	vbroadcastss	%xmm4, %zmm0
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm0, %zmm0
	jp	.L2492
	je	.L2429
.L2492:
	vbroadcastss	%xmm1, %zmm2
.L2431:
	vpxor	%xmm3, %xmm3, %xmm3
	movq	%r11, %r12
	movq	%r9, %rsi
	vmovdqa	%ymm3, -64(%rsp)
	cmpl	$8, %ecx
	jnb	.L2548
.L2435:
	xorl	%ebx, %ebx
	testb	$4, %cl
	je	.L2438
	movl	(%rsi), %ebx
	movl	%ebx, (%r12)
	movl	$4, %ebx
.L2438:
	testb	$2, %cl
	je	.L2440
	movzwl	(%rsi,%rbx), %esi
	movw	%si, (%r12,%rbx)
.L2440:
	vpmovzxwd	-64(%rsp), %zmm3
	vpslld	$16, %zmm3, %zmm3
	vmulps	%zmm3, %zmm2, %zmm2
	vaddps	%zmm0, %zmm2, %zmm0
.L2441:
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpord	%zmm0, %zmm8, %zmm3
	vmovdqa32	%zmm9, %zmm2{%k1}{z}
	vpmovd2m	%zmm2, %k1
	vpsrad	$16, %zmm0, %zmm2
	vpandd	%zmm7, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm2, %zmm0
	vpaddd	%zmm6, %zmm0, %zmm0
	vblendmps	%zmm0, %zmm3, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, -64(%rsp)
	cmpl	$8, %ecx
	jnb	.L2443
	testb	$4, %cl
	jne	.L2549
	testl	%ecx, %ecx
	je	.L2442
	movzbl	(%r11), %esi
	movb	%sil, (%rdx)
	testb	$2, %cl
	jne	.L2550
	.p2align 4,,10
	.p2align 3
.L2442:
	subq	$16, %r8
	addq	$32, %rdx
	addq	$32, %r9
	addq	$32, %rax
	cmpq	%r8, %rdi
	jne	.L2449
	vzeroupper
.L2543:
	leaq	-24(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L2417:
	.cfi_restore_state
	vucomiss	%xmm5, %xmm1
	jp	.L2493
	jne	.L2493
	cmpq	$15, %r8
	jle	.L2484
	vxorps	%xmm3, %xmm3, %xmm3
.L2434:
	vcmpps	$0, %zmm3, %zmm3, %k1
	vpsrad	$16, %zmm3, %zmm2
	vpandd	%zmm7, %zmm2, %zmm2
	vpaddd	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm9, %zmm0{%k1}{z}
	vpaddd	%zmm6, %zmm2, %zmm2
	vpmovd2m	%zmm0, %k1
	vpord	%zmm3, %zmm8, %zmm0
	vmovaps	%zmm2, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, %ymm0
	vmovdqu	%ymm0, (%rdx)
	jmp	.L2442
	.p2align 4,,10
	.p2align 3
.L2546:
	vpmovzxwd	(%rax), %zmm0
	vucomiss	%xmm5, %xmm1
	vbroadcastss	%xmm4, %zmm3
	vpslld	$16, %zmm0, %zmm0
	vmulps	%zmm0, %zmm3, %zmm3
	jp	.L2491
	je	.L2420
.L2491:
	vbroadcastss	%xmm1, %zmm2
.L2422:
	vpmovzxwd	(%r9), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmulps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm3, %zmm2, %zmm3
	jmp	.L2434
	.p2align 4,,10
	.p2align 3
.L2493:
	vbroadcastss	%xmm1, %zmm2
	cmpq	$15, %r8
	jg	.L2551
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	-64(%rsp), %r11
	addq	%rcx, %rcx
	jmp	.L2431
	.p2align 4,,10
	.p2align 3
.L2443:
	movq	(%r11), %rsi
	leaq	8(%rdx), %r12
	andq	$-8, %r12
	movq	%rsi, (%rdx)
	movl	%ecx, %esi
	movq	-8(%r11,%rsi), %rbx
	movq	%rbx, -8(%rdx,%rsi)
	movq	%rdx, %rsi
	subq	%r12, %rsi
	addl	%esi, %ecx
	subq	%rsi, %r11
	andl	$-8, %ecx
	cmpl	$8, %ecx
	jb	.L2442
	andl	$-8, %ecx
	xorl	%esi, %esi
.L2447:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%r11,%rbx), %r13
	movq	%r13, (%r12,%rbx)
	cmpl	%ecx, %esi
	jb	.L2447
	jmp	.L2442
	.p2align 4,,10
	.p2align 3
.L2547:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L2424:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%rax,%rbx), %r12
	movq	%r12, (%r10,%rbx)
	cmpl	%r13d, %esi
	jb	.L2424
	leaq	(%r10,%rsi), %r12
	addq	%rax, %rsi
	jmp	.L2423
	.p2align 4,,10
	.p2align 3
.L2548:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L2436:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%r9,%rbx), %r12
	movq	%r12, (%r11,%rbx)
	cmpl	%r13d, %esi
	jb	.L2436
	leaq	(%r11,%rsi), %r12
	addq	%r9, %rsi
	jmp	.L2435
	.p2align 4,,10
	.p2align 3
.L2377:
	testq	%r8, %r8
	jle	.L2543
	leaq	-1(%r8), %rcx
	leaq	-16(%r8), %rdi
	vxorps	%xmm2, %xmm2, %xmm2
	andq	$-16, %rcx
	vpxor	%xmm5, %xmm5, %xmm5
	leaq	-64(%rsp), %r10
	subq	%rcx, %rdi
	vbroadcastss	%xmm1, %zmm7
	vbroadcastss	%xmm0, %zmm6
	.p2align 4,,10
	.p2align 3
.L2416:
	movl	$16, %ecx
	cmpq	%rcx, %r8
	cmovle	%r8, %rcx
	vucomiss	%xmm2, %xmm4
	jp	.L2487
	je	.L2383
.L2487:
	cmpq	$15, %r8
	jg	.L2552
	addq	%rcx, %rcx
	movq	%r10, %r11
	movq	%r10, %r12
	movq	%rax, %rsi
	vmovdqa	%ymm5, -64(%rsp)
	cmpl	$8, %ecx
	jnb	.L2553
.L2389:
	xorl	%ebx, %ebx
	testb	$4, %cl
	je	.L2392
	movl	(%rsi), %ebx
	movl	%ebx, (%r12)
	movl	$4, %ebx
.L2392:
	testb	$2, %cl
	je	.L2394
	movzwl	(%rsi,%rbx), %esi
	movw	%si, (%r12,%rbx)
.L2394:
	vucomiss	%xmm2, %xmm1
	vcvtph2ps	-64(%rsp), %zmm3
	vmulps	%zmm6, %zmm3, %zmm3
	jp	.L2400
	je	.L2554
.L2400:
	vmovdqa	%ymm5, -64(%rsp)
	movq	%r11, %r12
	movq	%r9, %rsi
	cmpl	$8, %ecx
	jnb	.L2555
.L2401:
	xorl	%ebx, %ebx
	testb	$4, %cl
	je	.L2404
	movl	(%rsi), %ebx
	movl	%ebx, (%r12)
	movl	$4, %ebx
.L2404:
	testb	$2, %cl
	je	.L2406
	movzwl	(%rsi,%rbx), %esi
	movw	%si, (%r12,%rbx)
.L2406:
	vcvtph2ps	-64(%rsp), %zmm0
	vmulps	%zmm0, %zmm7, %zmm0
	vaddps	%zmm3, %zmm0, %zmm0
	vcvtps2ph	$8, %zmm0, %ymm0
.L2407:
	vmovdqa	%ymm0, -64(%rsp)
	cmpl	$8, %ecx
	jnb	.L2410
	testb	$4, %cl
	jne	.L2556
	testl	%ecx, %ecx
	jne	.L2557
	.p2align 4,,10
	.p2align 3
.L2409:
	subq	$16, %r8
	addq	$32, %rdx
	addq	$32, %r9
	addq	$32, %rax
	cmpq	%rdi, %r8
	jne	.L2416
	vzeroupper
	jmp	.L2543
	.p2align 4,,10
	.p2align 3
.L2383:
	vucomiss	%xmm2, %xmm1
	jp	.L2489
	jne	.L2489
	cmpq	$15, %r8
	jle	.L2482
	vxorps	%xmm0, %xmm0, %xmm0
.L2388:
	vcvtps2ph	$8, %zmm0, %ymm0
	vmovdqu	%ymm0, (%rdx)
	jmp	.L2409
	.p2align 4,,10
	.p2align 3
.L2552:
	vucomiss	%xmm2, %xmm1
	vcvtph2ps	(%rax), %zmm0
	vmulps	%zmm6, %zmm0, %zmm0
	jp	.L2480
	jne	.L2480
	vxorps	%xmm3, %xmm3, %xmm3
	vaddps	%zmm3, %zmm0, %zmm0
	jmp	.L2388
	.p2align 4,,10
	.p2align 3
.L2489:
	cmpq	$15, %r8
	jle	.L2481
	vxorps	%xmm0, %xmm0, %xmm0
.L2480:
	vcvtph2ps	(%r9), %zmm3
	vmulps	%zmm3, %zmm7, %zmm3
	vaddps	%zmm0, %zmm3, %zmm0
	jmp	.L2388
	.p2align 4,,10
	.p2align 3
.L2410:
	movq	(%r11), %rsi
	leaq	8(%rdx), %r12
	andq	$-8, %r12
	movq	%rsi, (%rdx)
	movl	%ecx, %esi
	movq	-8(%r11,%rsi), %rbx
	movq	%rbx, -8(%rdx,%rsi)
	movq	%rdx, %rsi
	subq	%r12, %rsi
	addl	%esi, %ecx
	subq	%rsi, %r11
	andl	$-8, %ecx
	cmpl	$8, %ecx
	jb	.L2409
	andl	$-8, %ecx
	xorl	%esi, %esi
.L2414:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%r11,%rbx), %r13
	movq	%r13, (%r12,%rbx)
	cmpl	%ecx, %esi
	jb	.L2414
	jmp	.L2409
	.p2align 4,,10
	.p2align 3
.L2555:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L2402:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%r9,%rbx), %r12
	movq	%r12, (%r11,%rbx)
	cmpl	%r13d, %esi
	jb	.L2402
	leaq	(%r11,%rsi), %r12
	addq	%r9, %rsi
	jmp	.L2401
	.p2align 4,,10
	.p2align 3
.L2553:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L2390:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%rax,%rbx), %r12
	movq	%r12, (%r10,%rbx)
	cmpl	%r13d, %esi
	jb	.L2390
	leaq	(%r10,%rsi), %r12
	addq	%rax, %rsi
	jmp	.L2389
	.p2align 4,,10
	.p2align 3
.L2378:
	testq	%r8, %r8
	jle	.L2543
	leaq	-1(%r8), %rcx
	leaq	-16(%r8), %r12
	vxorps	%xmm0, %xmm0, %xmm0
	andq	$-16, %rcx
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	-64(%rsp), %rbx
	subq	%rcx, %r12
	vbroadcastss	%xmm1, %zmm6
	vbroadcastss	%xmm4, %zmm7
	vxorps	%xmm8, %xmm8, %xmm8
	.p2align 4,,10
	.p2align 3
.L2479:
	movl	$16, %ecx
	cmpq	%rcx, %r8
	cmovle	%r8, %rcx
	vucomiss	%xmm0, %xmm4
	jp	.L2494
	je	.L2450
.L2494:
	cmpq	$15, %r8
	jg	.L2558
	leaq	0(,%rcx,4), %r10
	movq	%rbx, %r11
	movq	%rbx, %rsi
	movq	%rax, %rcx
	vmovdqa64	%zmm3, -64(%rsp)
	cmpl	$8, %r10d
	jnb	.L2559
.L2457:
	testb	$4, %r10b
	je	.L2462
	movl	(%rcx), %ecx
	movl	%ecx, (%rsi)
.L2462:
	vmulps	-64(%rsp), %zmm7, %zmm2
	vucomiss	%xmm0, %xmm1
	jp	.L2468
	jne	.L2468
	vaddps	%zmm8, %zmm2, %zmm2
.L2473:
	vmovaps	%zmm2, -64(%rsp)
	cmpl	$8, %r10d
	jnb	.L2475
	.p2align 4,,10
	.p2align 3
.L2562:
	testb	$4, %r10b
	jne	.L2560
	testl	%r10d, %r10d
	jne	.L2561
	.p2align 4,,10
	.p2align 3
.L2474:
	subq	$16, %r8
	addq	$64, %rdx
	addq	$64, %r9
	addq	$64, %rax
	cmpq	%r12, %r8
	jne	.L2479
	vzeroupper
	jmp	.L2543
	.p2align 4,,10
	.p2align 3
.L2450:
	vucomiss	%xmm0, %xmm1
	vxorps	%xmm2, %xmm2, %xmm2
	jp	.L2496
	je	.L2466
.L2496:
	movq	%rbx, %r11
	leaq	0(,%rcx,4), %r10
	cmpq	$15, %r8
	jg	.L2455
.L2468:
	vmovdqa64	%zmm3, -64(%rsp)
	movq	%rbx, %rdi
	movq	%r9, %rsi
	cmpl	$8, %r10d
	jb	.L2469
	movl	%r10d, %ecx
	shrl	$3, %ecx
	rep movsq
.L2469:
	testb	$4, %r10b
	je	.L2472
	movl	(%rsi), %ecx
	movl	%ecx, (%rdi)
.L2472:
	vmulps	-64(%rsp), %zmm6, %zmm5
	vaddps	%zmm2, %zmm5, %zmm2
	vmovaps	%zmm2, -64(%rsp)
	cmpl	$8, %r10d
	jb	.L2562
.L2475:
	movq	(%r11), %rcx
	leaq	8(%rdx), %rdi
	andq	$-8, %rdi
	movq	%rcx, (%rdx)
	movl	%r10d, %ecx
	movq	-8(%r11,%rcx), %rsi
	movq	%rsi, -8(%rdx,%rcx)
	movq	%rdx, %rcx
	movq	%r11, %rsi
	subq	%rdi, %rcx
	subq	%rcx, %rsi
	addl	%r10d, %ecx
	shrl	$3, %ecx
	rep movsq
	jmp	.L2474
	.p2align 4,,10
	.p2align 3
.L2466:
	cmpq	$15, %r8
	jle	.L2486
.L2456:
	vmovups	%zmm2, (%rdx)
	jmp	.L2474
	.p2align 4,,10
	.p2align 3
.L2455:
	vmulps	(%r9), %zmm6, %zmm5
	vaddps	%zmm2, %zmm5, %zmm2
	jmp	.L2456
	.p2align 4,,10
	.p2align 3
.L2558:
	vmulps	(%rax), %zmm7, %zmm2
	vucomiss	%xmm0, %xmm1
	jp	.L2455
	jne	.L2455
	vxorps	%xmm5, %xmm5, %xmm5
	vaddps	%zmm5, %zmm2, %zmm2
	jmp	.L2456
	.p2align 4,,10
	.p2align 3
.L2559:
	movl	%r10d, %r13d
	xorl	%ecx, %ecx
	andl	$-8, %r13d
.L2458:
	movl	%ecx, %esi
	addl	$8, %ecx
	movq	(%rax,%rsi), %rdi
	movq	%rdi, (%rbx,%rsi)
	cmpl	%r13d, %ecx
	jb	.L2458
	leaq	(%rbx,%rcx), %rsi
	addq	%rax, %rcx
	jmp	.L2457
	.p2align 4,,10
	.p2align 3
.L2420:
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm3, %zmm3
	jmp	.L2434
	.p2align 4,,10
	.p2align 3
.L2429:
	vxorps	%xmm2, %xmm2, %xmm2
	vaddps	%zmm2, %zmm0, %zmm0
	jmp	.L2441
	.p2align 4,,10
	.p2align 3
.L2551:
	vxorps	%xmm3, %xmm3, %xmm3
	jmp	.L2422
	.p2align 4,,10
	.p2align 3
.L2561:
	movzbl	(%r11), %ecx
	movb	%cl, (%rdx)
	jmp	.L2474
	.p2align 4,,10
	.p2align 3
.L2557:
	movzbl	(%r11), %esi
	movb	%sil, (%rdx)
	testb	$2, %cl
	je	.L2409
	movl	%ecx, %ecx
	movzwl	-2(%r11,%rcx), %esi
	movw	%si, -2(%rdx,%rcx)
	jmp	.L2409
	.p2align 4,,10
	.p2align 3
.L2481:
	vxorps	%xmm3, %xmm3, %xmm3
	leaq	-64(%rsp), %r11
	addq	%rcx, %rcx
	jmp	.L2400
	.p2align 4,,10
	.p2align 3
.L2554:
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm3, %zmm3
.L2408:
	vcvtps2ph	$8, %zmm3, %ymm0
	jmp	.L2407
	.p2align 4,,10
	.p2align 3
.L2550:
	movl	%ecx, %ecx
	movzwl	-2(%r11,%rcx), %esi
	movw	%si, -2(%rdx,%rcx)
	jmp	.L2442
.L2549:
	movl	(%r11), %esi
	movl	%ecx, %ecx
	movl	%esi, (%rdx)
	movl	-4(%r11,%rcx), %esi
	movl	%esi, -4(%rdx,%rcx)
	jmp	.L2442
.L2560:
	movl	(%r11), %ecx
	movl	%r10d, %r10d
	movl	%ecx, (%rdx)
	movl	-4(%r11,%r10), %ecx
	movl	%ecx, -4(%rdx,%r10)
	jmp	.L2474
.L2556:
	movl	(%r11), %esi
	movl	%ecx, %ecx
	movl	%esi, (%rdx)
	movl	-4(%r11,%rcx), %esi
	movl	%esi, -4(%rdx,%rcx)
	jmp	.L2409
.L2486:
	leaq	-64(%rsp), %r11
	leaq	0(,%rcx,4), %r10
	jmp	.L2473
.L2484:
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	-64(%rsp), %r11
	addq	%rcx, %rcx
	jmp	.L2441
.L2482:
	vxorps	%xmm3, %xmm3, %xmm3
	leaq	-64(%rsp), %r11
	addq	%rcx, %rcx
	jmp	.L2408
	.cfi_endproc
.LFE6713:
	.size	_ZN10torchpaged12_GLOBAL__N_110merge_rowsEPKcfS2_fPcNS_5DTypeEl, .-_ZN10torchpaged12_GLOBAL__N_110merge_rowsEPKcfS2_fPcNS_5DTypeEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_11CountWeightEEEfPKflRKT_fPf, @function
_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_11CountWeightEEEfPKflRKT_fPf:
.LFB7070:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdx, %r13
	movl	$16384, %edx
	pushq	%r12
	.cfi_offset 12, -48
	movq	%rdi, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rsi, %rbx
	xorl	%esi, %esi
	andq	$-64, %rsp
	subq	$24768, %rsp
	leaq	8384(%rsp), %rdi
	movq	%rcx, 64(%rsp)
	vmovss	%xmm0, 56(%rsp)
	call	memset@PLT
	testq	%rbx, %rbx
	movq	64(%rsp), %r10
	vmovss	56(%rsp), %xmm2
	movq	%rax, %rdi
	leaq	192(%rsp), %r9
	jle	.L2564
	leaq	-1(%rbx), %rax
	leaq	-16(%rbx), %rsi
	movq	%rbx, %rdx
	movq	%r12, %rcx
	andq	$-16, %rax
	vbroadcastss	%xmm2, %zmm7
	vbroadcastss	.LC53(%rip), %zmm4
	vbroadcastss	.LC95(%rip), %zmm5
	vmovsd	.LC97(%rip), %xmm3
	subq	%rax, %rsi
	leaq	192(%rsp), %r9
	vpxor	%xmm8, %xmm8, %xmm8
	jmp	.L2574
	.p2align 4,,10
	.p2align 3
.L2806:
	vmulps	(%rcx), %zmm7, %zmm0
	vxorps	%zmm4, %zmm0, %zmm0
	vmaxps	%zmm5, %zmm0, %zmm0
	vxorps	%zmm4, %zmm0, %zmm0
	vcvttps2dq	%zmm0, %zmm0
	vmovd	%xmm0, %eax
	vmovdqa	%ymm0, %ymm1
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 8384(%rsp,%rax,8)
	vpextrd	$1, %xmm0, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 16576(%rsp,%rax,8)
.L2566:
	vpextrd	$2, %xmm1, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 8384(%rsp,%rax,8)
	cmpq	$3, %rdx
	jle	.L2573
	vpextrd	$3, %xmm1, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 16576(%rsp,%rax,8)
	cmpq	$4, %rdx
	jle	.L2573
	vextracti32x4	$1, %ymm1, %xmm6
	vextracti128	$0x1, %ymm1, %xmm11
	vmovd	%xmm6, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 8384(%rsp,%rax,8)
	cmpq	$5, %rdx
	jle	.L2573
	vpextrd	$1, %xmm11, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 16576(%rsp,%rax,8)
	cmpq	$6, %rdx
	jle	.L2573
	vpextrd	$2, %xmm11, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 8384(%rsp,%rax,8)
	cmpq	$7, %rdx
	jle	.L2573
	vpextrd	$3, %xmm11, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 16576(%rsp,%rax,8)
	cmpq	$8, %rdx
	jle	.L2573
	vextracti32x8	$0x1, %zmm0, %ymm0
	vmovd	%xmm0, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 8384(%rsp,%rax,8)
	cmpq	$9, %rdx
	jle	.L2573
	vpextrd	$1, %xmm0, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 16576(%rsp,%rax,8)
	cmpq	$10, %rdx
	jle	.L2573
	vpextrd	$2, %xmm0, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 8384(%rsp,%rax,8)
	cmpq	$11, %rdx
	jle	.L2573
	vpextrd	$3, %xmm0, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 16576(%rsp,%rax,8)
	cmpq	$12, %rdx
	jle	.L2573
	vextracti32x4	$1, %ymm0, %xmm6
	vextracti128	$0x1, %ymm0, %xmm1
	vmovd	%xmm6, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$13, %rdx
	jle	.L2573
	vpextrd	$1, %xmm1, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rax,8)
	cmpq	$14, %rdx
	jle	.L2573
	vpextrd	$2, %xmm1, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$15, %rdx
	jle	.L2573
	vpextrd	$3, %xmm1, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rax,8)
	.p2align 4,,10
	.p2align 3
.L2573:
	subq	$16, %rdx
	addq	$64, %rcx
	cmpq	%rdx, %rsi
	je	.L2564
.L2574:
	cmpq	$15, %rdx
	jg	.L2806
	movl	$16, %eax
	movq	%r9, %r11
	movq	%rcx, %r8
	vmovdqa64	%zmm8, 192(%rsp)
	cmpq	%rax, %rdx
	cmovle	%rdx, %rax
	salq	$2, %rax
	cmpl	$8, %eax
	jnb	.L2807
.L2567:
	testb	$4, %al
	je	.L2572
	movl	(%r8), %eax
	movl	%eax, (%r11)
.L2572:
	vmulps	192(%rsp), %zmm7, %zmm0
	vxorps	%zmm4, %zmm0, %zmm0
	vmaxps	%zmm5, %zmm0, %zmm0
	vxorps	%zmm4, %zmm0, %zmm0
	vcvttps2dq	%zmm0, %zmm0
	vmovd	%xmm0, %eax
	vmovdqa	%ymm0, %ymm1
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm9
	vmovsd	%xmm9, 8384(%rsp,%rax,8)
	cmpq	$1, %rdx
	jle	.L2573
	vpextrd	$1, %xmm0, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 16576(%rsp,%rax,8)
	cmpq	$2, %rdx
	jg	.L2566
	subq	$16, %rdx
	addq	$64, %rcx
	cmpq	%rdx, %rsi
	jne	.L2574
.L2564:
	movq	%rdi, %rdx
	movq	%r9, %rax
	.p2align 4,,10
	.p2align 3
.L2575:
	vmovapd	8192(%rdx), %zmm3
	vaddpd	(%rdx), %zmm3, %zmm0
	addq	$64, %rax
	addq	$64, %rdx
	vmovapd	%zmm0, -64(%rax)
	cmpq	%rax, %rdi
	jne	.L2575
	vmovsd	0(%r13), %xmm3
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	jmp	.L2577
	.p2align 4,,10
	.p2align 3
.L2809:
	addq	$1, %rax
	cmpq	$1024, %rax
	je	.L2808
.L2577:
	vmovsd	%xmm1, %xmm1, %xmm0
	vaddsd	(%r9,%rax,8), %xmm1, %xmm1
	vcomisd	%xmm3, %xmm1
	jb	.L2809
	xorl	%r11d, %r11d
	testq	%rbx, %rbx
	jle	.L2661
	vpbroadcastd	%eax, %zmm7
	leaq	-1(%rbx), %rax
	xorl	%r11d, %r11d
	vbroadcastss	.LC53(%rip), %zmm4
	leaq	-16(%rbx), %rdx
	andq	$-16, %rax
	vbroadcastss	.LC95(%rip), %zmm5
	vbroadcastss	%xmm2, %zmm10
	subq	%rax, %rdx
	vpxor	%xmm11, %xmm11, %xmm11
	vpternlogd	$0xFF, %zmm9, %zmm9, %zmm9
	jmp	.L2605
.L2587:
	subq	$16, %rbx
	addq	$64, %r12
	cmpq	%rdx, %rbx
	je	.L2661
.L2605:
	cmpq	$15, %rbx
	jle	.L2579
	vmovups	(%r12), %zmm8
.L2580:
	vmulps	%zmm10, %zmm8, %zmm1
	vxorps	%zmm4, %zmm1, %zmm1
	vmaxps	%zmm5, %zmm1, %zmm1
	vxorps	%zmm4, %zmm1, %zmm1
	vcvttps2dq	%zmm1, %zmm1
	vpcmpd	$0, %zmm7, %zmm1, %k1
	vmovdqa32	%zmm9, %zmm2{%k1}{z}
	vpmovd2m	%zmm2, %k0
	kortestw	%k0, %k0
	je	.L2587
	vmovd	%xmm2, %eax
	vmovdqa	%ymm2, %ymm6
	testl	%eax, %eax
	je	.L2588
	vmovss	%xmm8, (%r10,%r11,4)
	addq	$1, %r11
.L2588:
	cmpq	$1, %rbx
	jle	.L2587
	vpextrd	$1, %xmm6, %eax
	testl	%eax, %eax
	je	.L2590
	vextractps	$1, %xmm8, (%r10,%r11,4)
	addq	$1, %r11
.L2590:
	cmpq	$2, %rbx
	jle	.L2587
	vpextrd	$2, %xmm6, %eax
	testl	%eax, %eax
	je	.L2591
	vextractps	$2, %xmm8, (%r10,%r11,4)
	addq	$1, %r11
.L2591:
	cmpq	$3, %rbx
	jle	.L2587
	vpextrd	$3, %xmm6, %eax
	testl	%eax, %eax
	je	.L2592
	vextractps	$3, %xmm8, (%r10,%r11,4)
	addq	$1, %r11
.L2592:
	cmpq	$4, %rbx
	jle	.L2587
	vextracti32x4	$1, %ymm6, %xmm1
	vmovd	%xmm1, %eax
	testl	%eax, %eax
	je	.L2593
	vextractf32x4	$1, %ymm8, %xmm1
	vmovss	%xmm1, (%r10,%r11,4)
	addq	$1, %r11
.L2593:
	cmpq	$5, %rbx
	jle	.L2587
	valignd	$5, %ymm6, %ymm6, %ymm1
	vmovd	%xmm1, %eax
	testl	%eax, %eax
	je	.L2594
	valignd	$5, %zmm8, %zmm8, %zmm1
	vmovss	%xmm1, (%r10,%r11,4)
	addq	$1, %r11
.L2594:
	cmpq	$6, %rbx
	jle	.L2587
	valignd	$6, %ymm6, %ymm6, %ymm1
	vmovd	%xmm1, %eax
	testl	%eax, %eax
	je	.L2595
	valignd	$6, %zmm8, %zmm8, %zmm1
	vmovss	%xmm1, (%r10,%r11,4)
	addq	$1, %r11
.L2595:
	cmpq	$7, %rbx
	jle	.L2587
	valignd	$7, %ymm6, %ymm6, %ymm6
	vmovd	%xmm6, %eax
	testl	%eax, %eax
	jne	.L2810
.L2596:
	cmpq	$8, %rbx
	jle	.L2587
	vextracti32x8	$0x1, %zmm2, %ymm1
	vextracti32x4	$2, %zmm2, %xmm2
	vmovd	%xmm2, %eax
	testl	%eax, %eax
	jne	.L2811
.L2597:
	cmpq	$9, %rbx
	jle	.L2587
	vpextrd	$1, %xmm1, %eax
	testl	%eax, %eax
	jne	.L2812
.L2598:
	cmpq	$10, %rbx
	jle	.L2587
	vpextrd	$2, %xmm1, %eax
	testl	%eax, %eax
	jne	.L2813
.L2599:
	cmpq	$11, %rbx
	jle	.L2587
	vpextrd	$3, %xmm1, %eax
	testl	%eax, %eax
	jne	.L2814
.L2600:
	cmpq	$12, %rbx
	jle	.L2587
	vextracti32x4	$1, %ymm1, %xmm6
	vmovd	%xmm6, %eax
	testl	%eax, %eax
	je	.L2601
	vextractf32x4	$3, %zmm8, %xmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
.L2601:
	cmpq	$13, %rbx
	jle	.L2587
	valignd	$5, %ymm1, %ymm1, %ymm6
	vmovd	%xmm6, %eax
	testl	%eax, %eax
	je	.L2602
	valignd	$13, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
.L2602:
	cmpq	$14, %rbx
	jle	.L2587
	valignd	$6, %ymm1, %ymm1, %ymm6
	vmovd	%xmm6, %eax
	testl	%eax, %eax
	je	.L2603
	valignd	$14, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
.L2603:
	cmpq	$15, %rbx
	jle	.L2587
	valignd	$7, %ymm1, %ymm1, %ymm1
	vmovd	%xmm1, %eax
	testl	%eax, %eax
	je	.L2587
	valignd	$15, %zmm8, %zmm8, %zmm8
	subq	$16, %rbx
	addq	$64, %r12
	vmovss	%xmm8, (%r10,%r11,4)
	addq	$1, %r11
	cmpq	%rdx, %rbx
	jne	.L2605
.L2661:
	vmovsd	%xmm0, %xmm0, %xmm12
	movq	%r11, %r12
	movq	%r10, %r14
	movq	%r9, %r15
	leaq	128(%rsp), %rax
	movq	%rax, 8(%rsp)
	.p2align 4,,10
	.p2align 3
.L2658:
	testq	%r12, %r12
	je	.L2815
	leaq	-1(%r12), %r8
	movq	%r12, %rbx
	cmpq	$14, %r8
	jbe	.L2662
	movq	%r12, %rdx
	movl	$2147483647, %ecx
	movq	%r14, %rax
	shrq	$4, %rdx
	vpxor	%xmm2, %xmm2, %xmm2
	vpbroadcastd	%ecx, %zmm4
	salq	$6, %rdx
	addq	%r14, %rdx
	.p2align 4,,10
	.p2align 3
.L2608:
	vpminsd	(%rax), %zmm4, %zmm4
	vpmaxsd	(%rax), %zmm2, %zmm2
	addq	$64, %rax
	cmpq	%rdx, %rax
	jne	.L2608
	vextracti32x8	$0x1, %zmm2, %ymm6
	movq	%r12, %rdx
	vpmaxsd	%ymm2, %ymm6, %ymm7
	andq	$-16, %rdx
	vextracti128	$0x1, %ymm7, %xmm5
	movq	%rdx, %rsi
	vpmaxsd	%xmm7, %xmm5, %xmm5
	vpsrldq	$8, %xmm5, %xmm7
	vpmaxsd	%xmm7, %xmm5, %xmm5
	vpsrldq	$4, %xmm5, %xmm7
	vpmaxsd	%xmm7, %xmm5, %xmm5
	vmovd	%xmm5, %eax
	vextracti32x8	$0x1, %zmm4, %ymm5
	vpminsd	%ymm4, %ymm5, %ymm9
	vmovd	%eax, %xmm8
	vpminsd	%ymm4, %ymm5, %ymm5
	vextracti128	$0x1, %ymm9, %xmm7
	vpmaxsd	%ymm2, %ymm6, %ymm4
	vpminsd	%xmm9, %xmm7, %xmm7
	vpsrldq	$8, %xmm7, %xmm9
	vpminsd	%xmm9, %xmm7, %xmm7
	vpsrldq	$4, %xmm7, %xmm9
	vpminsd	%xmm9, %xmm7, %xmm7
	vmovd	%xmm7, %r11d
	vmovd	%r11d, %xmm7
	cmpq	%r12, %rdx
	je	.L2609
.L2607:
	movq	%r12, %rcx
	subq	%rsi, %rcx
	leaq	-1(%rcx), %rax
	cmpq	$6, %rax
	jbe	.L2610
	vmovups	(%r14,%rsi,4), %ymm2
	movq	%rcx, %rsi
	andq	$-8, %rsi
	vpmaxsd	%ymm2, %ymm4, %ymm4
	vpminsd	%ymm2, %ymm5, %ymm5
	addq	%rsi, %rdx
	andl	$7, %ecx
	vextracti128	$0x1, %ymm4, %xmm2
	vpmaxsd	%xmm4, %xmm2, %xmm2
	vpsrldq	$8, %xmm2, %xmm4
	vpmaxsd	%xmm4, %xmm2, %xmm2
	vpsrldq	$4, %xmm2, %xmm4
	vpmaxsd	%xmm4, %xmm2, %xmm2
	vextracti128	$0x1, %ymm5, %xmm4
	vpminsd	%xmm5, %xmm4, %xmm4
	vmovd	%xmm2, %eax
	vpsrldq	$8, %xmm4, %xmm2
	vmovd	%eax, %xmm8
	vpminsd	%xmm2, %xmm4, %xmm4
	vpsrldq	$4, %xmm4, %xmm2
	vpminsd	%xmm2, %xmm4, %xmm4
	vmovd	%xmm4, %r11d
	vmovd	%r11d, %xmm7
	je	.L2609
.L2610:
	vmovd	(%r14,%rdx,4), %xmm2
	leaq	1(%rdx), %rsi
	leaq	0(,%rdx,4), %rcx
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2609
	vmovd	4(%r14,%rcx), %xmm2
	leaq	2(%rdx), %rsi
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2609
	vmovd	8(%r14,%rcx), %xmm2
	leaq	3(%rdx), %rsi
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2609
	vmovd	12(%r14,%rcx), %xmm2
	leaq	4(%rdx), %rsi
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2609
	vmovd	16(%r14,%rcx), %xmm2
	leaq	5(%rdx), %rsi
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2609
	vmovd	20(%r14,%rcx), %xmm2
	addq	$6, %rdx
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rdx, %r12
	jle	.L2609
	vmovd	24(%r14,%rcx), %xmm2
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
.L2609:
	cmpl	%r11d, %eax
	je	.L2816
	vpsubd	%xmm7, %xmm8, %xmm2
	vmovd	%xmm2, %eax
	cmpl	$1023, %eax
	jle	.L2663
	movl	$1, %ecx
	.p2align 4,,10
	.p2align 3
.L2615:
	movl	%eax, %r13d
	movl	%ecx, %r10d
	sarl	%cl, %r13d
	addl	$1, %ecx
	cmpl	$1023, %r13d
	jg	.L2615
.L2614:
	movq	%r8, 48(%rsp)
	xorl	%esi, %esi
	movl	$16384, %edx
	movl	%r11d, 56(%rsp)
	movl	%r10d, 64(%rsp)
	vmovsd	%xmm12, 40(%rsp)
	vmovsd	%xmm3, 16(%rsp)
	vzeroupper
	call	memset@PLT
	movq	48(%rsp), %r8
	movq	%r14, %rsi
	movq	%rax, %rdi
	leaq	-16(%r12), %rax
	movl	56(%rsp), %r11d
	movslq	64(%rsp), %rcx
	andq	$-16, %r8
	movq	%rdi, 24(%rsp)
	vmovsd	40(%rsp), %xmm12
	vpxor	%xmm5, %xmm5, %xmm5
	subq	%r8, %rax
	movq	%r14, 32(%rsp)
	vpbroadcastd	%r11d, %zmm4
	movq	8(%rsp), %r14
	movq	%rax, %rdi
	movq	.LC97(%rip), %rax
	movl	%ecx, 56(%rsp)
	vmovq	%rcx, %xmm6
	movq	%r12, 48(%rsp)
	vmovsd	16(%rsp), %xmm3
	movl	%r13d, 40(%rsp)
	vmovq	%rax, %xmm1
	jmp	.L2625
	.p2align 4,,10
	.p2align 3
.L2818:
	vmovdqu32	(%rsi), %zmm7
	vpsubd	%zmm4, %zmm7, %zmm2
	vpsrad	%xmm6, %zmm2, %zmm7
	vmovdqa32	%zmm7, 64(%rsp)
	vmovdqa	64(%rsp), %ymm2
	movq	72(%rsp), %rdx
	movq	80(%rsp), %rcx
	movq	88(%rsp), %r8
	vmovq	%xmm2, %rax
	movq	96(%rsp), %r9
	movq	104(%rsp), %r10
	cltq
	movq	112(%rsp), %r12
	movq	120(%rsp), %r13
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	vpextrd	$1, %xmm7, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rax,8)
.L2617:
	movslq	%edx, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$3, %rbx
	jle	.L2624
	sarq	$32, %rdx
	vaddsd	16576(%rsp,%rdx,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rdx,8)
	cmpq	$4, %rbx
	jle	.L2624
	movslq	%ecx, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$5, %rbx
	jle	.L2624
	sarq	$32, %rcx
	vaddsd	16576(%rsp,%rcx,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rcx,8)
	cmpq	$6, %rbx
	jle	.L2624
	movslq	%r8d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$7, %rbx
	jle	.L2624
	sarq	$32, %r8
	vaddsd	16576(%rsp,%r8,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r8,8)
	cmpq	$8, %rbx
	jle	.L2624
	movslq	%r9d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$9, %rbx
	jle	.L2624
	sarq	$32, %r9
	vaddsd	16576(%rsp,%r9,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r9,8)
	cmpq	$10, %rbx
	jle	.L2624
	movslq	%r10d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$11, %rbx
	jle	.L2624
	sarq	$32, %r10
	vaddsd	16576(%rsp,%r10,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r10,8)
	cmpq	$12, %rbx
	jle	.L2624
	movslq	%r12d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$13, %rbx
	jle	.L2624
	sarq	$32, %r12
	vaddsd	16576(%rsp,%r12,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r12,8)
	cmpq	$14, %rbx
	jle	.L2624
	movslq	%r13d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$15, %rbx
	jle	.L2624
	sarq	$32, %r13
	vaddsd	16576(%rsp,%r13,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r13,8)
	.p2align 4,,10
	.p2align 3
.L2624:
	subq	$16, %rbx
	addq	$64, %rsi
	cmpq	%rdi, %rbx
	je	.L2817
.L2625:
	cmpq	$15, %rbx
	jg	.L2818
	movl	$16, %eax
	movq	%r14, %rcx
	movq	%rsi, %rdx
	vmovdqa64	%zmm5, 128(%rsp)
	cmpq	%rax, %rbx
	cmovle	%rbx, %rax
	salq	$2, %rax
	cmpl	$8, %eax
	jnb	.L2819
.L2618:
	testb	$4, %al
	je	.L2623
	movl	(%rdx), %eax
	movl	%eax, (%rcx)
.L2623:
	vmovdqa32	128(%rsp), %zmm7
	vpsubd	%zmm4, %zmm7, %zmm2
	vpsrad	%xmm6, %zmm2, %zmm7
	vmovdqa32	%zmm7, 64(%rsp)
	vmovdqa	64(%rsp), %ymm2
	movq	72(%rsp), %rdx
	movq	80(%rsp), %rcx
	movq	88(%rsp), %r8
	vmovq	%xmm2, %rax
	movq	96(%rsp), %r9
	movq	104(%rsp), %r10
	cltq
	movq	112(%rsp), %r12
	movq	120(%rsp), %r13
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$1, %rbx
	jle	.L2624
	vpextrd	$1, %xmm7, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rax,8)
	cmpq	$2, %rbx
	jg	.L2617
	subq	$16, %rbx
	addq	$64, %rsi
	cmpq	%rdi, %rbx
	jne	.L2625
.L2817:
	movl	56(%rsp), %r10d
	movq	48(%rsp), %r12
	leaq	16576(%rsp), %rbx
	movl	40(%rsp), %r13d
	movq	32(%rsp), %r14
	movq	24(%rsp), %rdi
.L2612:
	movq	%rdi, %rax
	movq	%r15, %rdx
	.p2align 4,,10
	.p2align 3
.L2626:
	vmovapd	8192(%rax), %zmm6
	vaddpd	(%rax), %zmm6, %zmm2
	addq	$64, %rax
	addq	$64, %rdx
	vmovapd	%zmm2, -64(%rdx)
	cmpq	%rax, %rbx
	jne	.L2626
	xorl	%eax, %eax
	jmp	.L2628
	.p2align 4,,10
	.p2align 3
.L2820:
	addq	$1, %rax
	cmpq	$1024, %rax
	je	.L2659
.L2628:
	vmovq	%xmm12, %rdx
	vaddsd	(%r15,%rax,8), %xmm12, %xmm12
	vcomisd	%xmm3, %xmm12
	jb	.L2820
	movl	%eax, %r13d
	vmovq	%rdx, %xmm12
.L2659:
	testq	%r12, %r12
	je	.L2606
	leaq	-1(%r12), %rcx
	leaq	-16(%r12), %rsi
	movslq	%r10d, %rbx
	movq	%r12, %rax
	andq	$-16, %rcx
	vpbroadcastd	%r11d, %zmm10
	movq	%r14, %rdx
	xorl	%r12d, %r12d
	vpbroadcastd	%r13d, %zmm9
	subq	%rcx, %rsi
	vmovq	%rbx, %xmm6
	vpxor	%xmm11, %xmm11, %xmm11
	vpternlogd	$0xFF, %zmm8, %zmm8, %zmm8
	jmp	.L2656
	.p2align 4,,10
	.p2align 3
.L2638:
	subq	$16, %rax
	addq	$64, %rdx
	cmpq	%rsi, %rax
	je	.L2658
.L2656:
	cmpq	$15, %rax
	jle	.L2630
	vmovups	(%rdx), %zmm7
.L2631:
	vpsubd	%zmm10, %zmm7, %zmm2
	vpsrad	%xmm6, %zmm2, %zmm2
	vpcmpd	$0, %zmm9, %zmm2, %k1
	vmovdqa32	%zmm8, %zmm4{%k1}{z}
	vpmovd2m	%zmm4, %k0
	kortestw	%k0, %k0
	je	.L2638
	vmovd	%xmm4, %ecx
	vmovdqa	%ymm4, %ymm13
	testl	%ecx, %ecx
	je	.L2639
	vmovss	%xmm7, (%r14,%r12,4)
	addq	$1, %r12
.L2639:
	cmpq	$1, %rax
	jle	.L2638
	vpextrd	$1, %xmm13, %ecx
	testl	%ecx, %ecx
	je	.L2641
	vextractps	$1, %xmm7, (%r14,%r12,4)
	addq	$1, %r12
.L2641:
	cmpq	$2, %rax
	jle	.L2638
	vpextrd	$2, %xmm13, %ecx
	testl	%ecx, %ecx
	je	.L2642
	vextractps	$2, %xmm7, (%r14,%r12,4)
	addq	$1, %r12
.L2642:
	cmpq	$3, %rax
	jle	.L2638
	vpextrd	$3, %xmm13, %ecx
	testl	%ecx, %ecx
	je	.L2643
	vextractps	$3, %xmm7, (%r14,%r12,4)
	addq	$1, %r12
.L2643:
	cmpq	$4, %rax
	jle	.L2638
	vextracti32x4	$1, %ymm13, %xmm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2644
	vextractf32x4	$1, %ymm7, %xmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2644:
	cmpq	$5, %rax
	jle	.L2638
	valignd	$5, %ymm13, %ymm13, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2645
	valignd	$5, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2645:
	cmpq	$6, %rax
	jle	.L2638
	valignd	$6, %ymm13, %ymm13, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2646
	valignd	$6, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2646:
	cmpq	$7, %rax
	jle	.L2638
	valignd	$7, %ymm13, %ymm13, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2647
	valignd	$7, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2647:
	cmpq	$8, %rax
	jle	.L2638
	vextracti32x8	$0x1, %zmm4, %ymm2
	vextracti32x4	$2, %zmm4, %xmm4
	vmovd	%xmm4, %ebx
	testl	%ebx, %ebx
	je	.L2648
	vextractf32x4	$2, %zmm7, %xmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2648:
	cmpq	$9, %rax
	jle	.L2638
	vpextrd	$1, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L2649
	valignd	$9, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2649:
	cmpq	$10, %rax
	jle	.L2638
	vpextrd	$2, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L2650
	valignd	$10, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2650:
	cmpq	$11, %rax
	jle	.L2638
	vpextrd	$3, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L2651
	valignd	$11, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2651:
	cmpq	$12, %rax
	jle	.L2638
	vextracti32x4	$1, %ymm2, %xmm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2652
	vextractf32x4	$3, %zmm7, %xmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2652:
	cmpq	$13, %rax
	jle	.L2638
	valignd	$5, %ymm2, %ymm2, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2653
	valignd	$13, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2653:
	cmpq	$14, %rax
	jle	.L2638
	valignd	$6, %ymm2, %ymm2, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2654
	valignd	$14, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2654:
	cmpq	$15, %rax
	jle	.L2638
	valignd	$7, %ymm2, %ymm2, %ymm2
	vmovd	%xmm2, %ebx
	testl	%ebx, %ebx
	je	.L2638
	valignd	$15, %zmm7, %zmm7, %zmm7
	vmovss	%xmm7, (%r14,%r12,4)
	addq	$1, %r12
	jmp	.L2638
.L2579:
	movl	$16, %ecx
	movq	%rdi, %rsi
	movq	%r12, %rax
	vmovdqa64	%zmm11, 8384(%rsp)
	cmpq	%rcx, %rbx
	cmovle	%rbx, %rcx
	salq	$2, %rcx
	cmpl	$8, %ecx
	jnb	.L2821
.L2581:
	andl	$4, %ecx
	je	.L2586
	movl	(%rax), %eax
	movl	%eax, (%rsi)
.L2586:
	vmovaps	8384(%rsp), %zmm8
	jmp	.L2580
.L2807:
	movl	%eax, %r15d
	xorl	%r8d, %r8d
	andl	$-8, %r15d
.L2568:
	movl	%r8d, %r11d
	addl	$8, %r8d
	movq	(%rcx,%r11), %r14
	movq	%r14, (%r9,%r11)
	cmpl	%r15d, %r8d
	jb	.L2568
	leaq	(%r9,%r8), %r11
	addq	%rcx, %r8
	jmp	.L2567
	.p2align 4,,10
	.p2align 3
.L2630:
	movl	$16, %ecx
	movq	%rdi, %r9
	movq	%rdx, %r8
	vmovdqa64	%zmm11, 8384(%rsp)
	cmpq	%rcx, %rax
	cmovle	%rax, %rcx
	salq	$2, %rcx
	cmpl	$8, %ecx
	jnb	.L2822
.L2632:
	andl	$4, %ecx
	je	.L2637
	movl	(%r8), %ecx
	movl	%ecx, (%r9)
.L2637:
	vmovaps	8384(%rsp), %zmm7
	jmp	.L2631
.L2822:
	movl	%ecx, %r11d
	xorl	%r8d, %r8d
	andl	$-8, %r11d
.L2633:
	movl	%r8d, %r9d
	addl	$8, %r8d
	movq	(%rdx,%r9), %r10
	movq	%r10, (%rdi,%r9)
	cmpl	%r11d, %r8d
	jb	.L2633
	leaq	(%rdi,%r8), %r9
	addq	%rdx, %r8
	jmp	.L2632
.L2819:
	movl	%eax, %r8d
	xorl	%edx, %edx
	andl	$-8, %r8d
.L2619:
	movl	%edx, %ecx
	addl	$8, %edx
	movq	(%rsi,%rcx), %r9
	movq	%r9, (%r14,%rcx)
	cmpl	%r8d, %edx
	jb	.L2619
	leaq	(%r14,%rdx), %rcx
	addq	%rsi, %rdx
	jmp	.L2618
.L2815:
	leaq	16576(%rsp), %rbx
.L2606:
	vmovsd	%xmm12, 56(%rsp)
	xorl	%esi, %esi
	movl	$16384, %edx
	movl	$-2147483647, %r13d
	vmovsd	%xmm3, 64(%rsp)
	vzeroupper
	call	memset@PLT
	xorl	%r12d, %r12d
	vmovsd	64(%rsp), %xmm3
	vmovsd	56(%rsp), %xmm12
	movq	%rax, %rdi
	movl	$2147483647, %r11d
	xorl	%r10d, %r10d
	jmp	.L2612
.L2816:
	vmovd	%eax, %xmm0
.L2563:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2821:
	.cfi_restore_state
	movl	%ecx, %r13d
	xorl	%eax, %eax
	andl	$-8, %r13d
.L2582:
	movl	%eax, %esi
	addl	$8, %eax
	movq	(%r12,%rsi), %r8
	movq	%r8, (%rdi,%rsi)
	cmpl	%r13d, %eax
	jb	.L2582
	leaq	(%rdi,%rax), %rsi
	addq	%r12, %rax
	jmp	.L2581
.L2662:
	movl	$2147483647, %eax
	vpxor	%xmm2, %xmm2, %xmm2
	xorl	%esi, %esi
	xorl	%edx, %edx
	vmovdqa	.LC96(%rip), %xmm7
	vpxor	%xmm4, %xmm4, %xmm4
	vpbroadcastd	%eax, %ymm5
	vmovdqa	%xmm2, %xmm8
	jmp	.L2607
.L2810:
	valignd	$7, %zmm8, %zmm8, %zmm1
	vmovss	%xmm1, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2596
.L2811:
	vextractf32x4	$2, %zmm8, %xmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2597
.L2812:
	valignd	$9, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2598
.L2813:
	valignd	$10, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2599
.L2814:
	valignd	$11, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2600
.L2663:
	vmovd	%xmm2, %r13d
	xorl	%r10d, %r10d
	jmp	.L2614
.L2808:
	vmovss	.LC93(%rip), %xmm0
	jmp	.L2563
	.cfi_endproc
.LFE7070:
	.size	_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_11CountWeightEEEfPKflRKT_fPf, .-_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_11CountWeightEEEfPKflRKT_fPf
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_11FloatEngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_, @function
_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_11FloatEngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_:
.LFB7249:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$320, %rsp
	movq	16(%rbp), %rcx
	movq	24(%rbp), %r10
	testl	%edx, %edx
	jle	.L2864
	movq	8(%rdi), %rax
	vmovaps	%xmm0, %xmm5
	vbroadcastss	(%rdi), %zmm0
	vmulps	(%rsi), %zmm0, %zmm2
	testq	%rax, %rax
	je	.L2825
	vmulps	(%rax), %zmm2, %zmm2
.L2825:
	vmovss	4(%rdi), %xmm6
	vxorps	%xmm3, %xmm3, %xmm3
	vcomiss	%xmm3, %xmm6
	jbe	.L2826
	vbroadcastss	.LC53(%rip), %zmm7
	vbroadcastss	%xmm6, %zmm8
	vbroadcastss	.LC101(%rip), %zmm3
	vdivps	%zmm8, %zmm2, %zmm2
	vxorps	%zmm7, %zmm2, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm4
	vxorps	%zmm7, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm3
	vbroadcastss	.LC29(%rip), %zmm4
	vaddps	%zmm3, %zmm3, %zmm3
	vmaxps	%zmm3, %zmm4, %zmm4
	vbroadcastss	.LC37(%rip), %zmm3
	vmulps	.LC31(%rip){1to16}, %zmm4, %zmm9
	vrndscaleps	$8, %zmm9, %zmm9
	vfmadd231ps	.LC33(%rip){1to16}, %zmm9, %zmm4
	vfmadd231ps	.LC35(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm4, %zmm7
	vfmadd213ps	.LC39(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC41(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC43(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC45(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC47(%rip){1to16}, %zmm4, %zmm3
	vfmadd132ps	%zmm7, %zmm4, %zmm3
	vbroadcastss	.LC49(%rip), %zmm7
	vbroadcastss	.LC103(%rip), %zmm4
	vaddps	%zmm7, %zmm3, %zmm3
	vscalefps	%zmm9, %zmm3, %zmm3
	vmulps	%zmm2, %zmm2, %zmm9
	vfmadd213ps	.LC105(%rip){1to16}, %zmm9, %zmm4
	vaddps	%zmm7, %zmm3, %zmm3
	vfmadd213ps	.LC107(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC109(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC111(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm9, %zmm4
	vfmadd132ps	%zmm4, %zmm2, %zmm2
	vbroadcastss	.LC113(%rip), %zmm4
	vcmpps	$1, %zmm4, %zmm9, %k0
	vpmovm2d	%k0, %zmm4
	vpmovd2m	%zmm4, %k2
	vbroadcastss	.LC115(%rip), %zmm4
	vdivps	%zmm3, %zmm4, %zmm3
	vsubps	%zmm3, %zmm7, %zmm7
	vmovaps	%zmm2, %zmm7{%k2}
	vmulps	%zmm7, %zmm8, %zmm2
.L2826:
	testb	%r9b, %r9b
	je	.L2828
	vxorps	%xmm3, %xmm3, %xmm3
	vbroadcastss	%xmm5, %zmm4
	vaddss	%xmm3, %xmm1, %xmm3
	vbroadcastss	%xmm3, %zmm3
	vaddps	.LC116(%rip), %zmm3, %zmm3
	vfmadd231ps	%zmm3, %zmm4, %zmm2
.L2828:
	vbroadcastss	.LC1(%rip), %zmm7
	testb	%r8b, %r8b
	je	.L2900
.L2829:
	vmovaps	%zmm2, 64(%rsp)
	vmaxps	%zmm2, %zmm7, %zmm2
	cmpl	$1, %edx
	je	.L2824
	vmulps	64(%rsi), %zmm0, %zmm3
	testq	%rax, %rax
	je	.L2831
	vmulps	64(%rax), %zmm3, %zmm3
.L2831:
	vxorps	%xmm4, %xmm4, %xmm4
	vcomiss	%xmm4, %xmm6
	jbe	.L2832
	vbroadcastss	.LC53(%rip), %zmm9
	vbroadcastss	%xmm6, %zmm10
	vbroadcastss	.LC101(%rip), %zmm4
	vdivps	%zmm10, %zmm3, %zmm3
	vxorps	%zmm9, %zmm3, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm8
	vxorps	%zmm9, %zmm8, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm4
	vbroadcastss	.LC29(%rip), %zmm8
	vaddps	%zmm4, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm8, %zmm8
	vbroadcastss	.LC37(%rip), %zmm4
	vmulps	.LC31(%rip){1to16}, %zmm8, %zmm11
	vrndscaleps	$8, %zmm11, %zmm11
	vfmadd231ps	.LC33(%rip){1to16}, %zmm11, %zmm8
	vfmadd231ps	.LC35(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm8, %zmm9
	vfmadd213ps	.LC39(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC41(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC43(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC45(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC47(%rip){1to16}, %zmm8, %zmm4
	vfmadd132ps	%zmm9, %zmm8, %zmm4
	vbroadcastss	.LC49(%rip), %zmm9
	vbroadcastss	.LC103(%rip), %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vscalefps	%zmm11, %zmm4, %zmm4
	vmulps	%zmm3, %zmm3, %zmm11
	vfmadd213ps	.LC105(%rip){1to16}, %zmm11, %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vfmadd213ps	.LC107(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC109(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC111(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm11, %zmm8
	vfmadd132ps	%zmm8, %zmm3, %zmm3
	vbroadcastss	.LC113(%rip), %zmm8
	vcmpps	$1, %zmm8, %zmm11, %k0
	vpmovm2d	%k0, %zmm8
	vpmovd2m	%zmm8, %k2
	vbroadcastss	.LC115(%rip), %zmm8
	vdivps	%zmm4, %zmm8, %zmm4
	vsubps	%zmm4, %zmm9, %zmm9
	vmovaps	%zmm3, %zmm9{%k2}
	vmulps	%zmm9, %zmm10, %zmm3
.L2832:
	testb	%r9b, %r9b
	je	.L2834
	vaddss	.LC117(%rip), %xmm1, %xmm4
	vbroadcastss	%xmm5, %zmm8
	vbroadcastss	%xmm4, %zmm4
	vaddps	.LC116(%rip), %zmm4, %zmm4
	vfmadd231ps	%zmm4, %zmm8, %zmm3
.L2834:
	testb	%r8b, %r8b
	je	.L2901
.L2835:
	vmovaps	%zmm3, 128(%rsp)
	vmaxps	%zmm3, %zmm2, %zmm2
	cmpl	$2, %edx
	je	.L2824
	vmulps	128(%rsi), %zmm0, %zmm3
	testq	%rax, %rax
	je	.L2837
	vmulps	128(%rax), %zmm3, %zmm3
.L2837:
	vxorps	%xmm4, %xmm4, %xmm4
	vcomiss	%xmm4, %xmm6
	jbe	.L2838
	vbroadcastss	.LC53(%rip), %zmm9
	vbroadcastss	%xmm6, %zmm10
	vbroadcastss	.LC101(%rip), %zmm4
	vdivps	%zmm10, %zmm3, %zmm3
	vxorps	%zmm9, %zmm3, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm8
	vxorps	%zmm9, %zmm8, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm4
	vbroadcastss	.LC29(%rip), %zmm8
	vaddps	%zmm4, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm8, %zmm8
	vbroadcastss	.LC37(%rip), %zmm4
	vmulps	.LC31(%rip){1to16}, %zmm8, %zmm11
	vrndscaleps	$8, %zmm11, %zmm11
	vfmadd231ps	.LC33(%rip){1to16}, %zmm11, %zmm8
	vfmadd231ps	.LC35(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm8, %zmm9
	vfmadd213ps	.LC39(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC41(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC43(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC45(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC47(%rip){1to16}, %zmm8, %zmm4
	vfmadd132ps	%zmm9, %zmm8, %zmm4
	vbroadcastss	.LC49(%rip), %zmm9
	vbroadcastss	.LC103(%rip), %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vscalefps	%zmm11, %zmm4, %zmm4
	vmulps	%zmm3, %zmm3, %zmm11
	vfmadd213ps	.LC105(%rip){1to16}, %zmm11, %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vfmadd213ps	.LC107(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC109(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC111(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm11, %zmm8
	vfmadd132ps	%zmm8, %zmm3, %zmm3
	vbroadcastss	.LC113(%rip), %zmm8
	vcmpps	$1, %zmm8, %zmm11, %k0
	vpmovm2d	%k0, %zmm8
	vpmovd2m	%zmm8, %k2
	vbroadcastss	.LC115(%rip), %zmm8
	vdivps	%zmm4, %zmm8, %zmm4
	vsubps	%zmm4, %zmm9, %zmm9
	vmovaps	%zmm3, %zmm9{%k2}
	vmulps	%zmm9, %zmm10, %zmm3
.L2838:
	testb	%r9b, %r9b
	je	.L2840
	vaddss	.LC118(%rip), %xmm1, %xmm4
	vbroadcastss	%xmm5, %zmm8
	vbroadcastss	%xmm4, %zmm4
	vaddps	.LC116(%rip), %zmm4, %zmm4
	vfmadd231ps	%zmm4, %zmm8, %zmm3
.L2840:
	testb	%r8b, %r8b
	je	.L2902
.L2841:
	vmovaps	%zmm3, 192(%rsp)
	vmaxps	%zmm3, %zmm2, %zmm2
	cmpl	$3, %edx
	je	.L2824
	vmulps	192(%rsi), %zmm0, %zmm0
	testq	%rax, %rax
	je	.L2843
	vmulps	192(%rax), %zmm0, %zmm0
.L2843:
	vxorps	%xmm3, %xmm3, %xmm3
	vcomiss	%xmm3, %xmm6
	jbe	.L2844
	vbroadcastss	.LC53(%rip), %zmm8
	vbroadcastss	%xmm6, %zmm6
	vbroadcastss	.LC101(%rip), %zmm3
	vdivps	%zmm6, %zmm0, %zmm0
	vxorps	%zmm8, %zmm0, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm4
	vxorps	%zmm8, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm3
	vbroadcastss	.LC29(%rip), %zmm4
	vaddps	%zmm3, %zmm3, %zmm3
	vmaxps	%zmm3, %zmm4, %zmm4
	vbroadcastss	.LC37(%rip), %zmm3
	vmulps	.LC31(%rip){1to16}, %zmm4, %zmm9
	vrndscaleps	$8, %zmm9, %zmm9
	vfmadd231ps	.LC33(%rip){1to16}, %zmm9, %zmm4
	vfmadd231ps	.LC35(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm4, %zmm8
	vfmadd213ps	.LC39(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC41(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC43(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC45(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC47(%rip){1to16}, %zmm4, %zmm3
	vfmadd132ps	%zmm8, %zmm4, %zmm3
	vbroadcastss	.LC49(%rip), %zmm8
	vbroadcastss	.LC103(%rip), %zmm4
	vaddps	%zmm8, %zmm3, %zmm3
	vscalefps	%zmm9, %zmm3, %zmm3
	vmulps	%zmm0, %zmm0, %zmm9
	vfmadd213ps	.LC105(%rip){1to16}, %zmm9, %zmm4
	vaddps	%zmm8, %zmm3, %zmm3
	vfmadd213ps	.LC107(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC109(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC111(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm9, %zmm4
	vfmadd132ps	%zmm4, %zmm0, %zmm0
	vbroadcastss	.LC113(%rip), %zmm4
	vcmpps	$1, %zmm4, %zmm9, %k0
	vpmovm2d	%k0, %zmm4
	vpmovd2m	%zmm4, %k2
	vbroadcastss	.LC115(%rip), %zmm4
	vdivps	%zmm3, %zmm4, %zmm3
	vsubps	%zmm3, %zmm8, %zmm8
	vmovaps	%zmm0, %zmm8{%k2}
	vmulps	%zmm8, %zmm6, %zmm0
.L2844:
	testb	%r9b, %r9b
	je	.L2846
	vaddss	.LC119(%rip), %xmm1, %xmm1
	vbroadcastss	%xmm5, %zmm5
	vbroadcastss	%xmm1, %zmm1
	vaddps	.LC116(%rip), %zmm1, %zmm1
	vfmadd231ps	%zmm1, %zmm5, %zmm0
.L2846:
	testb	%r8b, %r8b
	je	.L2903
.L2847:
	vmovaps	%zmm0, 256(%rsp)
	vmaxps	%zmm0, %zmm2, %zmm2
.L2824:
	vextractf64x4	$0x1, %zmm2, %ymm1
	vmovss	(%rcx), %xmm3
	movl	$0x00000000, %eax
	vmaxps	%ymm2, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovss	.LC27(%rip), %xmm1
	vmaxss	%xmm0, %xmm3, %xmm0
	vucomiss	%xmm0, %xmm1
	vmovss	%xmm0, (%rcx)
	vmovd	%xmm0, %ecx
	cmovbe	%ecx, %eax
	vucomiss	%xmm3, %xmm0
	vmovd	%eax, %xmm6
	jp	.L2873
	vmovss	.LC49(%rip), %xmm2
	jne	.L2873
.L2852:
	vbroadcastss	%xmm2, %zmm5
	testl	%edx, %edx
	jle	.L2904
	vmovaps	64(%rsp), %zmm0
	vbroadcastss	%xmm6, %zmm6
	vbroadcastss	.LC29(%rip), %zmm7
	vbroadcastss	.LC31(%rip), %zmm4
	movq	16(%rdi), %rax
	vbroadcastss	.LC33(%rip), %zmm8
	vsubps	%zmm6, %zmm0, %zmm9
	vbroadcastss	.LC35(%rip), %zmm3
	vbroadcastss	.LC37(%rip), %zmm0
	vbroadcastss	.LC39(%rip), %zmm14
	vbroadcastss	.LC41(%rip), %zmm13
	vbroadcastss	.LC43(%rip), %zmm12
	vmaxps	%zmm9, %zmm7, %zmm9
	vmovaps	%zmm0, %zmm1
	vbroadcastss	.LC45(%rip), %zmm11
	vbroadcastss	.LC47(%rip), %zmm10
	vmulps	%zmm4, %zmm9, %zmm15
	vrndscaleps	$8, %zmm15, %zmm15
	vfmadd231ps	%zmm8, %zmm15, %zmm9
	vfmadd231ps	%zmm3, %zmm15, %zmm9
	vmulps	%zmm9, %zmm9, %zmm16
	vfmadd132ps	%zmm9, %zmm14, %zmm1
	vfmadd132ps	%zmm9, %zmm13, %zmm1
	vfmadd132ps	%zmm9, %zmm12, %zmm1
	vfmadd132ps	%zmm9, %zmm11, %zmm1
	vfmadd132ps	%zmm9, %zmm10, %zmm1
	vfmadd132ps	%zmm16, %zmm9, %zmm1
	vxorps	%xmm16, %xmm16, %xmm16
	vbroadcastss	.LC49(%rip), %zmm9
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm15, %zmm1, %zmm1
	vaddps	%zmm16, %zmm1, %zmm16
	vmovaps	%zmm1, 64(%rsp)
	testq	%rax, %rax
	je	.L2856
	vmulps	(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, 64(%rsp)
.L2856:
	cmpl	$1, %edx
	je	.L2863
	vmovaps	128(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm15
	vmovaps	%zmm0, %zmm1
	vmaxps	%zmm15, %zmm7, %zmm15
	vmulps	%zmm4, %zmm15, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm15
	vfmadd231ps	%zmm3, %zmm17, %zmm15
	vmulps	%zmm15, %zmm15, %zmm18
	vfmadd132ps	%zmm15, %zmm14, %zmm1
	vfmadd132ps	%zmm15, %zmm13, %zmm1
	vfmadd132ps	%zmm15, %zmm12, %zmm1
	vfmadd132ps	%zmm15, %zmm11, %zmm1
	vfmadd132ps	%zmm15, %zmm10, %zmm1
	vfmadd132ps	%zmm18, %zmm15, %zmm1
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vaddps	%zmm1, %zmm16, %zmm16
	vmovaps	%zmm1, 128(%rsp)
	testq	%rax, %rax
	je	.L2859
	vmulps	64(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, 128(%rsp)
.L2859:
	cmpl	$2, %edx
	je	.L2863
	vmovaps	192(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm15
	vmovaps	%zmm0, %zmm1
	vmaxps	%zmm15, %zmm7, %zmm15
	vmulps	%zmm4, %zmm15, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm15
	vfmadd231ps	%zmm3, %zmm17, %zmm15
	vmulps	%zmm15, %zmm15, %zmm18
	vfmadd132ps	%zmm15, %zmm14, %zmm1
	vfmadd132ps	%zmm15, %zmm13, %zmm1
	vfmadd132ps	%zmm15, %zmm12, %zmm1
	vfmadd132ps	%zmm15, %zmm11, %zmm1
	vfmadd132ps	%zmm15, %zmm10, %zmm1
	vfmadd132ps	%zmm18, %zmm15, %zmm1
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vaddps	%zmm1, %zmm16, %zmm16
	vmovaps	%zmm1, 192(%rsp)
	testq	%rax, %rax
	je	.L2861
	vmulps	128(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, 192(%rsp)
.L2861:
	cmpl	$3, %edx
	je	.L2863
	vmovaps	256(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm1
	vmaxps	%zmm1, %zmm7, %zmm7
	vmulps	%zmm4, %zmm7, %zmm4
	vrndscaleps	$8, %zmm4, %zmm4
	vfmadd132ps	%zmm4, %zmm7, %zmm8
	vfmadd132ps	%zmm4, %zmm8, %zmm3
	vmulps	%zmm3, %zmm3, %zmm1
	vfmadd132ps	%zmm3, %zmm14, %zmm0
	vfmadd132ps	%zmm3, %zmm13, %zmm0
	vfmadd132ps	%zmm3, %zmm12, %zmm0
	vfmadd132ps	%zmm3, %zmm11, %zmm0
	vfmadd132ps	%zmm3, %zmm10, %zmm0
	vfmadd132ps	%zmm1, %zmm3, %zmm0
	vaddps	%zmm9, %zmm0, %zmm0
	vscalefps	%zmm4, %zmm0, %zmm0
	vaddps	%zmm0, %zmm16, %zmm16
	vmovaps	%zmm0, 256(%rsp)
	testq	%rax, %rax
	je	.L2863
	vmulps	192(%rax), %zmm0, %zmm0
	vmovaps	%zmm0, 256(%rsp)
.L2863:
	vmulps	(%r10), %zmm5, %zmm5
	movq	32(%rbp), %rdi
	movl	%edx, %edx
	vmovss	%xmm2, 60(%rsp)
	salq	$6, %rdx
	leaq	64(%rsp), %rsi
	vaddps	%zmm16, %zmm5, %zmm5
	vmovups	%zmm5, (%r10)
	vzeroupper
	call	memcpy@PLT
	vmovss	60(%rsp), %xmm2
.L2823:
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	vmovaps	%xmm2, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L2873:
	.cfi_restore_state
	vbroadcastss	.LC29(%rip), %zmm0
	vsubss	%xmm6, %xmm3, %xmm3
	vbroadcastss	.LC37(%rip), %zmm2
	vbroadcastss	%xmm3, %zmm3
	vmaxps	%zmm3, %zmm0, %zmm0
	vmulps	.LC31(%rip){1to16}, %zmm0, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	.LC33(%rip){1to16}, %zmm1, %zmm0
	vfmadd231ps	.LC35(%rip){1to16}, %zmm1, %zmm0
	vmulps	%zmm0, %zmm0, %zmm3
	vfmadd213ps	.LC39(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC41(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC43(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC45(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC47(%rip){1to16}, %zmm0, %zmm2
	vfmadd132ps	%zmm3, %zmm0, %zmm2
	vaddps	.LC49(%rip){1to16}, %zmm2, %zmm2
	vscalefps	%zmm1, %zmm2, %zmm2
	jmp	.L2852
	.p2align 4,,10
	.p2align 3
.L2900:
	kmovw	%r11d, %k3
	vblendmps	%zmm2, %zmm7, %zmm2{%k3}
	jmp	.L2829
	.p2align 4,,10
	.p2align 3
.L2901:
	kmovd	%r11d, %k4
	kshiftrd	$16, %k4, %k2
	vblendmps	%zmm3, %zmm7, %zmm3{%k2}
	jmp	.L2835
	.p2align 4,,10
	.p2align 3
.L2902:
	kmovq	%r11, %k5
	kshiftrq	$32, %k5, %k2
	vblendmps	%zmm3, %zmm7, %zmm3{%k2}
	jmp	.L2841
	.p2align 4,,10
	.p2align 3
.L2903:
	shrq	$48, %r11
	kmovq	%r11, %k1
	vblendmps	%zmm0, %zmm7, %zmm0{%k1}
	jmp	.L2847
.L2864:
	vbroadcastsd	.LC99(%rip), %zmm2
	jmp	.L2824
.L2904:
	vmulps	(%r10), %zmm5, %zmm5
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm5, (%r10)
	vzeroupper
	jmp	.L2823
	.cfi_endproc
.LFE7249:
	.size	_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_11FloatEngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_, .-_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_11FloatEngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0:
.LFB7725:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%rbx
	andq	$-128, %rsp
	subq	$1160, %rsp
	.cfi_offset 14, -24
	.cfi_offset 3, -32
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %rdx
	movq	(%rax), %rsi
	vmovups	%zmm0, 608(%rsp)
	vmovups	%zmm0, 672(%rsp)
	leaq	127(%rdx), %r9
	testq	%rdx, %rdx
	movq	%rdx, %rax
	vmovups	%zmm0, 736(%rsp)
	cmovs	%r9, %rax
	leaq	254(%rdx), %rcx
	vmovups	%zmm0, 800(%rsp)
	vmovups	%zmm0, 864(%rsp)
	vmovups	%zmm0, 928(%rsp)
	movq	%rax, %r8
	vmovups	%zmm0, 992(%rsp)
	sarq	$7, %r8
	testq	%r9, %r9
	vmovups	%zmm0, 1056(%rsp)
	cmovns	%r9, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %rdx
	jle	.L2910
	movq	%rax, %r9
	negq	%r9
	leaq	584(%rsp,%r9,4), %r9
	.p2align 4,,10
	.p2align 3
.L2909:
	vmovss	(%rsi,%rax,4), %xmm0
	vmovss	%xmm0, 24(%r9,%rax,4)
	addq	$1, %rax
	vmovss	%xmm0, 328(%rsp)
	cmpq	%rax, %rdx
	jne	.L2909
.L2910:
	vmovss	.LC1(%rip), %xmm0
	movq	8(%rdi), %rdi
	movq	(%rdi), %r10
	vmovss	%xmm0, 8(%rdi)
	testq	%rdx, %rdx
	jle	.L2960
	vmovups	608(%rsp), %zmm7
	vmovups	672(%rsp), %zmm22
	vmovups	736(%rsp), %zmm6
	vmovups	800(%rsp), %zmm5
	vmovups	864(%rsp), %zmm4
	vmovups	928(%rsp), %zmm23
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
	cmpq	$127, %rdx
	jle	.L2941
	cmpq	%rcx, %r8
	movq	%rcx, %r11
	vxorps	%xmm3, %xmm3, %xmm3
	movq	%rsi, %rax
	cmovle	%r8, %r11
	xorl	%r9d, %r9d
	.p2align 4,,10
	.p2align 3
.L2913:
	vmovups	64(%rax), %zmm1
	vmovups	(%rax), %zmm0
	vmaxps	192(%rax), %zmm1, %zmm9
	vmaxps	128(%rax), %zmm0, %zmm0
	vmaxps	320(%rax), %zmm9, %zmm9
	vmaxps	256(%rax), %zmm0, %zmm0
	vmaxps	448(%rax), %zmm9, %zmm9
	vmaxps	384(%rax), %zmm0, %zmm0
	vmovups	192(%rax), %zmm10
	vmovups	(%rax), %zmm1
	vaddps	64(%rax), %zmm10, %zmm8
	vaddps	128(%rax), %zmm1, %zmm1
	vaddps	320(%rax), %zmm8, %zmm8
	vmaxps	%zmm9, %zmm0, %zmm0
	vaddps	256(%rax), %zmm1, %zmm1
	vaddps	448(%rax), %zmm8, %zmm8
	vaddps	384(%rax), %zmm1, %zmm1
	vaddps	%zmm8, %zmm1, %zmm1
	vaddps	%zmm1, %zmm3, %zmm3
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vmovss	%xmm0, (%r10,%r9,4)
	vmovss	8(%rdi), %xmm0
	vmovd	%xmm1, %ebx
	vucomiss	%xmm0, %xmm1
	vmovd	%xmm0, %r14d
	cmovbe	%r14d, %ebx
	addq	$1, %r9
	addq	$512, %rax
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r9, %r11
	jg	.L2913
	cmpq	%r9, %rcx
	jle	.L2918
.L2911:
	vmaxps	%zmm6, %zmm7, %zmm0
	vmaxps	%zmm5, %zmm22, %zmm1
	vaddps	%zmm6, %zmm7, %zmm8
	vaddps	%zmm5, %zmm22, %zmm9
	vmaxps	%zmm4, %zmm0, %zmm0
	vmaxps	%zmm23, %zmm1, %zmm1
	vaddps	%zmm4, %zmm8, %zmm8
	vaddps	%zmm23, %zmm9, %zmm9
	vmaxps	%zmm24, %zmm1, %zmm1
	vmaxps	%zmm2, %zmm0, %zmm0
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm24, %zmm9, %zmm9
	vmaxps	%zmm1, %zmm0, %zmm0
	vaddps	%zmm9, %zmm8, %zmm8
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$17, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vmovd	%xmm1, %eax
	.p2align 4,,10
	.p2align 3
.L2917:
	vmovss	%xmm1, (%r10,%r9,4)
	movl	%eax, %ebx
	vucomiss	8(%rdi), %xmm1
	cmovbe	8(%rdi), %ebx
	addq	$1, %r9
	vaddps	%zmm8, %zmm3, %zmm3
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r9, %rcx
	jg	.L2917
.L2918:
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm3, %ymm1
	vaddps	%ymm3, %ymm1, %ymm1
	vmovss	%xmm0, 8(%rdi)
	vextractf128	$0x1, %ymm1, %xmm3
	vaddps	%xmm1, %xmm3, %xmm3
	vpermilps	$78, %xmm3, %xmm1
	vaddps	%xmm3, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm3
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm3, %xmm1
	vucomiss	%xmm1, %xmm1
	jnp	.L2961
	cmpq	$127, %rdx
	jle	.L2942
	cmpq	%rcx, %r8
	movq	%rcx, %rbx
	vpxor	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r9
	cmovle	%r8, %rbx
	vpternlogd	$0xFF, %zmm3, %zmm3, %zmm3
	xorl	%r10d, %r10d
	.p2align 4,,10
	.p2align 3
.L2924:
	vmovups	(%r9), %zmm11
	addq	$1, %r10
	vmovups	64(%r9), %zmm12
	addq	$512, %r9
	vmovups	-384(%r9), %zmm13
	vmovups	-320(%r9), %zmm14
	vcmpps	$4, %zmm11, %zmm11, %k1
	vcmpps	$4, %zmm12, %zmm12, %k0
	vmovups	-256(%r9), %zmm15
	vmovups	-192(%r9), %zmm11
	vcmpps	$4, %zmm13, %zmm13, %k2
	vcmpps	$4, %zmm14, %zmm14, %k3
	vmovups	-128(%r9), %zmm12
	vmovups	-64(%r9), %zmm13
	vcmpps	$4, %zmm15, %zmm15, %k4
	vcmpps	$4, %zmm11, %zmm11, %k5
	kmovw	%k1, %eax
	kmovw	%k0, %r14d
	orl	%r14d, %eax
	vcmpps	$4, %zmm12, %zmm12, %k6
	kmovw	%k2, %r11d
	orl	%r11d, %eax
	kmovw	%k3, %r11d
	vcmpps	$4, %zmm13, %zmm13, %k1
	orl	%r11d, %eax
	kmovw	%k4, %r11d
	orl	%r11d, %eax
	kmovw	%k5, %r11d
	orl	%r11d, %eax
	kmovw	%k6, %r11d
	orl	%r11d, %eax
	kmovw	%eax, %k7
	korw	%k1, %k7, %k1
	vmovdqa32	%zmm3, %zmm1{%k1}
	cmpq	%rbx, %r10
	jl	.L2924
	cmpq	%rcx, %r10
	jge	.L2940
.L2923:
	vcmpps	$4, %zmm22, %zmm22, %k1
	vcmpps	$4, %zmm7, %zmm7, %k0
	vcmpps	$4, %zmm4, %zmm4, %k2
	vcmpps	$4, %zmm23, %zmm23, %k3
	vcmpps	$4, %zmm2, %zmm2, %k4
	vcmpps	$4, %zmm24, %zmm24, %k5
	vpternlogd	$0xFF, %zmm2, %zmm2, %zmm2
	kmovw	%k0, %eax
	kmovw	%k1, %r11d
	vcmpps	$4, %zmm5, %zmm5, %k0
	orl	%eax, %r11d
	vcmpps	$4, %zmm6, %zmm6, %k1
	kmovw	%k0, %eax
	kmovw	%k1, %r9d
	orl	%eax, %r9d
	kmovw	%k2, %eax
	orl	%eax, %r9d
	kmovw	%k3, %eax
	orl	%eax, %r9d
	kmovw	%k4, %eax
	orl	%eax, %r9d
	kmovw	%k5, %eax
	orl	%r11d, %eax
	orl	%r9d, %eax
	kmovw	%eax, %k1
	.p2align 4,,10
	.p2align 3
.L2926:
	addq	$1, %r10
	vmovdqa32	%zmm2, %zmm1{%k1}
	cmpq	%r10, %rcx
	jg	.L2926
.L2940:
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L2928
.L2921:
	xorl	%eax, %eax
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2941:
	.cfi_restore_state
	vxorps	%xmm3, %xmm3, %xmm3
	xorl	%r9d, %r9d
	jmp	.L2911
.L2928:
	vcomiss	.LC120(%rip), %xmm0
	ja	.L2921
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L2921
	testq	%rdx, %rdx
	jle	.L2943
	vmovups	672(%rsp), %zmm22
	vmovups	736(%rsp), %zmm6
	vmovups	800(%rsp), %zmm5
	vmovups	864(%rsp), %zmm4
	vmovups	928(%rsp), %zmm23
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
.L2922:
	vbroadcastss	%xmm0, %zmm0
	vsubps	%zmm0, %zmm4, %zmm25
	vsubps	%zmm0, %zmm22, %zmm22
	vsubps	%zmm0, %zmm6, %zmm17
	vsubps	%zmm0, %zmm5, %zmm18
	vsubps	%zmm0, %zmm23, %zmm23
	vsubps	%zmm0, %zmm2, %zmm4
	cmpq	$127, %rdx
	jle	.L2944
	vpxor	%xmm1, %xmm1, %xmm1
	cmpq	%rcx, %r8
	movq	%rcx, %r9
	movq	%rsi, %rdx
	vbroadcastss	.LC29(%rip), %zmm5
	cmovle	%r8, %r9
	xorl	%eax, %eax
	vmovdqa64	%zmm1, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC31(%rip), %zmm6
	vbroadcastss	.LC33(%rip), %zmm7
	vbroadcastss	.LC35(%rip), %zmm8
	vmaxps	%zmm22, %zmm5, %zmm1
	vbroadcastss	.LC37(%rip), %zmm9
	vbroadcastss	.LC39(%rip), %zmm10
	vbroadcastss	.LC41(%rip), %zmm11
	vmovaps	%zmm9, %zmm31
	vmovaps	%zmm9, %zmm30
	vbroadcastss	.LC43(%rip), %zmm12
	vbroadcastss	.LC45(%rip), %zmm13
	vmulps	%zmm6, %zmm1, %zmm2
	vmovaps	%zmm9, %zmm29
	vbroadcastss	.LC47(%rip), %zmm14
	vbroadcastss	.LC49(%rip), %zmm15
	vmovaps	%zmm9, %zmm28
	vmovaps	%zmm9, %zmm27
	vmovaps	%zmm9, %zmm26
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm31
	vfmadd132ps	%zmm1, %zmm11, %zmm31
	vfmadd132ps	%zmm1, %zmm12, %zmm31
	vfmadd132ps	%zmm1, %zmm13, %zmm31
	vfmadd132ps	%zmm1, %zmm14, %zmm31
	vfmadd132ps	%zmm3, %zmm1, %zmm31
	vmaxps	%zmm17, %zmm5, %zmm1
	vaddps	%zmm15, %zmm31, %zmm31
	vscalefps	%zmm2, %zmm31, %zmm31
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm31, 136(%rsp)
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm30
	vfmadd132ps	%zmm1, %zmm11, %zmm30
	vfmadd132ps	%zmm1, %zmm12, %zmm30
	vfmadd132ps	%zmm1, %zmm13, %zmm30
	vfmadd132ps	%zmm1, %zmm14, %zmm30
	vfmadd132ps	%zmm3, %zmm1, %zmm30
	vmaxps	%zmm18, %zmm5, %zmm1
	vaddps	%zmm15, %zmm30, %zmm30
	vscalefps	%zmm2, %zmm30, %zmm30
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm30, 72(%rsp)
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm29
	vfmadd132ps	%zmm1, %zmm11, %zmm29
	vfmadd132ps	%zmm1, %zmm12, %zmm29
	vfmadd132ps	%zmm1, %zmm13, %zmm29
	vfmadd132ps	%zmm1, %zmm14, %zmm29
	vfmadd132ps	%zmm3, %zmm1, %zmm29
	vmaxps	%zmm25, %zmm5, %zmm1
	vaddps	%zmm15, %zmm29, %zmm29
	vscalefps	%zmm2, %zmm29, %zmm29
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm29, 8(%rsp)
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm28
	vfmadd132ps	%zmm1, %zmm11, %zmm28
	vfmadd132ps	%zmm1, %zmm12, %zmm28
	vfmadd132ps	%zmm1, %zmm13, %zmm28
	vfmadd132ps	%zmm1, %zmm14, %zmm28
	vfmadd132ps	%zmm3, %zmm1, %zmm28
	vaddps	%zmm15, %zmm28, %zmm28
	vscalefps	%zmm2, %zmm28, %zmm28
	vmaxps	%zmm23, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm1
	vmovaps	%zmm28, -56(%rsp)
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm7, %zmm1, %zmm2
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm10, %zmm27
	vfmadd132ps	%zmm2, %zmm11, %zmm27
	vfmadd132ps	%zmm2, %zmm12, %zmm27
	vfmadd132ps	%zmm2, %zmm13, %zmm27
	vfmadd132ps	%zmm2, %zmm14, %zmm27
	vfmadd132ps	%zmm3, %zmm2, %zmm27
	vmaxps	%zmm4, %zmm5, %zmm2
	vaddps	%zmm15, %zmm27, %zmm27
	vscalefps	%zmm1, %zmm27, %zmm27
	vmulps	%zmm6, %zmm2, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm7, %zmm1, %zmm2
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm10, %zmm26
	vfmadd132ps	%zmm2, %zmm11, %zmm26
	vfmadd132ps	%zmm2, %zmm12, %zmm26
	vfmadd132ps	%zmm2, %zmm13, %zmm26
	vfmadd132ps	%zmm2, %zmm14, %zmm26
	vfmadd132ps	%zmm3, %zmm2, %zmm26
	vaddps	%zmm15, %zmm26, %zmm26
	vscalefps	%zmm1, %zmm26, %zmm26
.L2934:
	vmovups	(%rdx), %zmm3
	vmovaps	%zmm9, %zmm2
	vsubps	%zmm0, %zmm3, %zmm1
	vmaxps	%zmm1, %zmm5, %zmm1
	vmulps	%zmm6, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm1
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm16
	vfmadd132ps	%zmm1, %zmm10, %zmm2
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd231ps	%zmm16, %zmm2, %zmm1
	vaddps	%zmm15, %zmm1, %zmm1
	vscalefps	%zmm3, %zmm1, %zmm1
	cmpq	%rax, %r8
	jg	.L2932
	vmovaps	72(%rsp), %zmm19
	vmovaps	8(%rsp), %zmm28
	vmovaps	%zmm27, %zmm21
	vmovaps	%zmm26, %zmm20
	vmovaps	-56(%rsp), %zmm16
	vmovaps	%zmm24, %zmm3
	vmovaps	136(%rsp), %zmm29
.L2933:
	vsubps	%zmm0, %zmm3, %zmm3
	vmovaps	%zmm9, %zmm2
	addq	$1, %rax
	addq	$512, %rdx
	vaddps	%zmm29, %zmm1, %zmm1
	vaddps	%zmm28, %zmm19, %zmm19
	vaddps	%zmm21, %zmm16, %zmm16
	vmaxps	%zmm3, %zmm5, %zmm3
	vaddps	%zmm19, %zmm1, %zmm1
	vmulps	%zmm6, %zmm3, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm7, %zmm30, %zmm3
	vfmadd231ps	%zmm8, %zmm30, %zmm3
	vmulps	%zmm3, %zmm3, %zmm31
	vfmadd132ps	%zmm3, %zmm10, %zmm2
	vfmadd132ps	%zmm3, %zmm11, %zmm2
	vfmadd132ps	%zmm3, %zmm12, %zmm2
	vfmadd132ps	%zmm3, %zmm13, %zmm2
	vfmadd132ps	%zmm3, %zmm14, %zmm2
	vfmadd132ps	%zmm31, %zmm3, %zmm2
	vaddps	%zmm15, %zmm2, %zmm2
	vscalefps	%zmm30, %zmm2, %zmm2
	vaddps	%zmm20, %zmm2, %zmm2
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm16, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%r9, %rax
	jl	.L2934
	cmpq	%rax, %rcx
	jle	.L2930
.L2931:
	vmovaps	%zmm9, %zmm20
	vmaxps	%zmm22, %zmm5, %zmm22
	vmovaps	%zmm9, %zmm21
	vmovups	608(%rsp), %zmm3
	vmovaps	%zmm9, %zmm26
	vmaxps	%zmm23, %zmm5, %zmm23
	vmovaps	%zmm9, %zmm27
	movq	%rax, %rdx
	vsubps	%zmm0, %zmm3, %zmm1
	salq	$9, %rdx
	addq	%rsi, %rdx
	vmaxps	%zmm1, %zmm5, %zmm1
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm20
	vfmadd132ps	%zmm1, %zmm11, %zmm20
	vfmadd132ps	%zmm1, %zmm12, %zmm20
	vfmadd132ps	%zmm1, %zmm13, %zmm20
	vfmadd132ps	%zmm1, %zmm14, %zmm20
	vfmadd132ps	%zmm3, %zmm1, %zmm20
	vaddps	%zmm15, %zmm20, %zmm20
	vscalefps	%zmm2, %zmm20, %zmm20
	vmulps	%zmm6, %zmm22, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm22
	vmovaps	%zmm22, %zmm1
	vmovaps	%zmm9, %zmm22
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm21
	vfmadd132ps	%zmm1, %zmm11, %zmm21
	vfmadd132ps	%zmm1, %zmm12, %zmm21
	vfmadd132ps	%zmm1, %zmm13, %zmm21
	vfmadd132ps	%zmm1, %zmm14, %zmm21
	vfmadd132ps	%zmm3, %zmm1, %zmm21
	vmaxps	%zmm17, %zmm5, %zmm1
	vaddps	%zmm15, %zmm21, %zmm21
	vscalefps	%zmm2, %zmm21, %zmm21
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm22
	vfmadd132ps	%zmm1, %zmm11, %zmm22
	vfmadd132ps	%zmm1, %zmm12, %zmm22
	vfmadd132ps	%zmm1, %zmm13, %zmm22
	vfmadd132ps	%zmm1, %zmm14, %zmm22
	vfmadd132ps	%zmm3, %zmm1, %zmm22
	vmaxps	%zmm18, %zmm5, %zmm1
	vaddps	%zmm15, %zmm22, %zmm22
	vscalefps	%zmm2, %zmm22, %zmm22
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm26
	vfmadd132ps	%zmm1, %zmm11, %zmm26
	vfmadd132ps	%zmm1, %zmm12, %zmm26
	vfmadd132ps	%zmm1, %zmm13, %zmm26
	vfmadd132ps	%zmm1, %zmm14, %zmm26
	vfmadd132ps	%zmm3, %zmm1, %zmm26
	vmaxps	%zmm25, %zmm5, %zmm1
	vmovaps	%zmm9, %zmm25
	vaddps	%zmm15, %zmm26, %zmm26
	vscalefps	%zmm2, %zmm26, %zmm26
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm25
	vfmadd132ps	%zmm1, %zmm11, %zmm25
	vfmadd132ps	%zmm1, %zmm12, %zmm25
	vfmadd132ps	%zmm1, %zmm13, %zmm25
	vfmadd132ps	%zmm1, %zmm14, %zmm25
	vfmadd132ps	%zmm3, %zmm1, %zmm25
	vaddps	%zmm15, %zmm25, %zmm25
	vscalefps	%zmm2, %zmm25, %zmm25
	vmulps	%zmm6, %zmm23, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm23
	vmovaps	%zmm23, %zmm1
	vmovaps	%zmm9, %zmm23
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm23
	vfmadd132ps	%zmm1, %zmm11, %zmm23
	vfmadd132ps	%zmm1, %zmm12, %zmm23
	vfmadd132ps	%zmm1, %zmm13, %zmm23
	vfmadd132ps	%zmm1, %zmm14, %zmm23
	vfmadd132ps	%zmm3, %zmm1, %zmm23
	vmaxps	%zmm4, %zmm5, %zmm1
	vaddps	%zmm15, %zmm23, %zmm23
	vscalefps	%zmm2, %zmm23, %zmm23
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm27
	vfmadd132ps	%zmm1, %zmm11, %zmm27
	vfmadd132ps	%zmm1, %zmm12, %zmm27
	vfmadd132ps	%zmm1, %zmm13, %zmm27
	vfmadd132ps	%zmm1, %zmm14, %zmm27
	vfmadd132ps	%zmm3, %zmm1, %zmm27
	vaddps	%zmm15, %zmm27, %zmm27
	vscalefps	%zmm2, %zmm27, %zmm27
	jmp	.L2938
.L2962:
	vmovaps	%zmm21, %zmm1
	vmovaps	%zmm22, %zmm17
	vmovaps	%zmm26, %zmm19
	vmovaps	%zmm25, %zmm4
	vmovaps	%zmm23, %zmm18
	vmovaps	%zmm27, %zmm16
	vmovaps	%zmm24, %zmm2
.L2937:
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm9, %zmm3
	addq	$1, %rax
	addq	$512, %rdx
	vaddps	%zmm20, %zmm1, %zmm1
	vaddps	%zmm19, %zmm17, %zmm17
	vaddps	%zmm18, %zmm4, %zmm4
	vmaxps	%zmm2, %zmm5, %zmm2
	vaddps	%zmm17, %zmm1, %zmm1
	vmulps	%zmm6, %zmm2, %zmm28
	vrndscaleps	$8, %zmm28, %zmm28
	vfmadd231ps	%zmm7, %zmm28, %zmm2
	vfmadd231ps	%zmm8, %zmm28, %zmm2
	vmulps	%zmm2, %zmm2, %zmm29
	vfmadd132ps	%zmm2, %zmm10, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd231ps	%zmm29, %zmm3, %zmm2
	vaddps	%zmm15, %zmm2, %zmm2
	vscalefps	%zmm28, %zmm2, %zmm2
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm16, %zmm4, %zmm4
	vaddps	%zmm4, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%rax, %rcx
	jle	.L2930
.L2938:
	cmpq	%rax, %r8
	jle	.L2962
	vmovups	64(%rdx), %zmm4
	vmovaps	%zmm9, %zmm2
	vmovaps	%zmm9, %zmm17
	vmovaps	%zmm9, %zmm19
	vmovaps	%zmm9, %zmm18
	vsubps	%zmm0, %zmm4, %zmm1
	vmaxps	%zmm1, %zmm5, %zmm1
	vmulps	%zmm6, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm1
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm4
	vfmadd132ps	%zmm1, %zmm10, %zmm2
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd231ps	%zmm4, %zmm2, %zmm1
	vmovups	128(%rdx), %zmm4
	vsubps	%zmm0, %zmm4, %zmm2
	vaddps	%zmm15, %zmm1, %zmm1
	vmaxps	%zmm2, %zmm5, %zmm2
	vscalefps	%zmm3, %zmm1, %zmm1
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm4
	vfmadd132ps	%zmm2, %zmm10, %zmm17
	vfmadd132ps	%zmm2, %zmm11, %zmm17
	vfmadd132ps	%zmm2, %zmm12, %zmm17
	vfmadd132ps	%zmm2, %zmm13, %zmm17
	vfmadd132ps	%zmm2, %zmm14, %zmm17
	vfmadd132ps	%zmm4, %zmm2, %zmm17
	vmovups	192(%rdx), %zmm4
	vsubps	%zmm0, %zmm4, %zmm2
	vaddps	%zmm15, %zmm17, %zmm17
	vmaxps	%zmm2, %zmm5, %zmm2
	vscalefps	%zmm3, %zmm17, %zmm17
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm4
	vfmadd132ps	%zmm2, %zmm10, %zmm19
	vfmadd132ps	%zmm2, %zmm11, %zmm19
	vfmadd132ps	%zmm2, %zmm12, %zmm19
	vfmadd132ps	%zmm2, %zmm13, %zmm19
	vfmadd132ps	%zmm2, %zmm14, %zmm19
	vfmadd132ps	%zmm4, %zmm2, %zmm19
	vmovups	256(%rdx), %zmm4
	vsubps	%zmm0, %zmm4, %zmm2
	vmovaps	%zmm9, %zmm4
	vmaxps	%zmm2, %zmm5, %zmm2
	vaddps	%zmm15, %zmm19, %zmm19
	vscalefps	%zmm3, %zmm19, %zmm19
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm4
	vfmadd132ps	%zmm2, %zmm11, %zmm4
	vfmadd132ps	%zmm2, %zmm12, %zmm4
	vfmadd132ps	%zmm2, %zmm13, %zmm4
	vfmadd132ps	%zmm2, %zmm14, %zmm4
	vfmadd132ps	%zmm16, %zmm2, %zmm4
	vaddps	%zmm15, %zmm4, %zmm4
	vscalefps	%zmm3, %zmm4, %zmm4
	vmovups	320(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm18
	vfmadd132ps	%zmm2, %zmm11, %zmm18
	vfmadd132ps	%zmm2, %zmm12, %zmm18
	vfmadd132ps	%zmm2, %zmm13, %zmm18
	vfmadd132ps	%zmm2, %zmm14, %zmm18
	vfmadd132ps	%zmm16, %zmm2, %zmm18
	vmovaps	%zmm9, %zmm16
	vaddps	%zmm15, %zmm18, %zmm18
	vscalefps	%zmm3, %zmm18, %zmm18
	vmovups	384(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm28
	vfmadd132ps	%zmm2, %zmm10, %zmm16
	vfmadd132ps	%zmm2, %zmm11, %zmm16
	vfmadd132ps	%zmm2, %zmm12, %zmm16
	vfmadd132ps	%zmm2, %zmm13, %zmm16
	vfmadd132ps	%zmm2, %zmm14, %zmm16
	vfmadd132ps	%zmm28, %zmm2, %zmm16
	vmovups	448(%rdx), %zmm2
	vaddps	%zmm15, %zmm16, %zmm16
	vscalefps	%zmm3, %zmm16, %zmm16
	jmp	.L2937
.L2961:
	vcomiss	.LC120(%rip), %xmm0
	ja	.L2921
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	jbe	.L2922
	jmp	.L2921
.L2942:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%r10d, %r10d
	jmp	.L2923
.L2944:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%eax, %eax
	vbroadcastss	.LC29(%rip), %zmm5
	vbroadcastss	.LC31(%rip), %zmm6
	vbroadcastss	.LC33(%rip), %zmm7
	vbroadcastss	.LC35(%rip), %zmm8
	vmovdqa64	%zmm1, 392(%rsp)
	vbroadcastss	.LC37(%rip), %zmm9
	vbroadcastss	.LC39(%rip), %zmm10
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC41(%rip), %zmm11
	vbroadcastss	.LC43(%rip), %zmm12
	vbroadcastss	.LC45(%rip), %zmm13
	vbroadcastss	.LC47(%rip), %zmm14
	vbroadcastss	.LC49(%rip), %zmm15
	jmp	.L2931
.L2932:
	vmovups	64(%rdx), %zmm3
	vmovaps	%zmm9, %zmm29
	vmovaps	%zmm9, %zmm19
	vmovaps	%zmm9, %zmm28
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm29
	vfmadd132ps	%zmm2, %zmm11, %zmm29
	vfmadd132ps	%zmm2, %zmm12, %zmm29
	vfmadd132ps	%zmm2, %zmm13, %zmm29
	vfmadd132ps	%zmm2, %zmm14, %zmm29
	vfmadd132ps	%zmm16, %zmm2, %zmm29
	vaddps	%zmm15, %zmm29, %zmm29
	vscalefps	%zmm3, %zmm29, %zmm29
	vmovups	128(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm19
	vfmadd132ps	%zmm2, %zmm11, %zmm19
	vfmadd132ps	%zmm2, %zmm12, %zmm19
	vfmadd132ps	%zmm2, %zmm13, %zmm19
	vfmadd132ps	%zmm2, %zmm14, %zmm19
	vfmadd132ps	%zmm16, %zmm2, %zmm19
	vaddps	%zmm15, %zmm19, %zmm19
	vscalefps	%zmm3, %zmm19, %zmm19
	vmovups	192(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm28
	vfmadd132ps	%zmm2, %zmm11, %zmm28
	vfmadd132ps	%zmm2, %zmm12, %zmm28
	vfmadd132ps	%zmm2, %zmm13, %zmm28
	vfmadd132ps	%zmm2, %zmm14, %zmm28
	vfmadd132ps	%zmm16, %zmm2, %zmm28
	vaddps	%zmm15, %zmm28, %zmm28
	vscalefps	%zmm3, %zmm28, %zmm28
	vmovups	256(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmovaps	%zmm9, %zmm3
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm7, %zmm20, %zmm2
	vfmadd231ps	%zmm8, %zmm20, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm16
	vmovups	320(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmovaps	%zmm9, %zmm3
	vmaxps	%zmm2, %zmm5, %zmm2
	vaddps	%zmm15, %zmm16, %zmm16
	vscalefps	%zmm20, %zmm16, %zmm16
	vmulps	%zmm6, %zmm2, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm7, %zmm20, %zmm2
	vfmadd231ps	%zmm8, %zmm20, %zmm2
	vmulps	%zmm2, %zmm2, %zmm21
	vfmadd132ps	%zmm2, %zmm10, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm21
	vmovups	384(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmovaps	%zmm9, %zmm3
	vmaxps	%zmm2, %zmm5, %zmm2
	vaddps	%zmm15, %zmm21, %zmm21
	vscalefps	%zmm20, %zmm21, %zmm21
	vmulps	%zmm6, %zmm2, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm7, %zmm30, %zmm2
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm20
	vfmadd132ps	%zmm2, %zmm10, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm20
	vmovups	448(%rdx), %zmm3
	vaddps	%zmm15, %zmm20, %zmm20
	vscalefps	%zmm30, %zmm20, %zmm20
	jmp	.L2933
.L2943:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqa64	%zmm0, 392(%rsp)
	vmovdqa64	%zmm0, 456(%rsp)
.L2930:
	vxorpd	%xmm0, %xmm0, %xmm0
	movl	$1, %eax
	vaddsd	392(%rsp), %xmm0, %xmm0
	vaddsd	400(%rsp), %xmm0, %xmm0
	vaddsd	408(%rsp), %xmm0, %xmm0
	vaddsd	416(%rsp), %xmm0, %xmm0
	vaddsd	424(%rsp), %xmm0, %xmm0
	vaddsd	432(%rsp), %xmm0, %xmm0
	vaddsd	440(%rsp), %xmm0, %xmm0
	vaddsd	448(%rsp), %xmm0, %xmm0
	vaddsd	456(%rsp), %xmm0, %xmm0
	vaddsd	464(%rsp), %xmm0, %xmm0
	vaddsd	472(%rsp), %xmm0, %xmm0
	vaddsd	480(%rsp), %xmm0, %xmm0
	vaddsd	488(%rsp), %xmm0, %xmm0
	vaddsd	496(%rsp), %xmm0, %xmm0
	vaddsd	504(%rsp), %xmm0, %xmm0
	vaddsd	512(%rsp), %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rdi)
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2960:
	.cfi_restore_state
	vxorps	%xmm1, %xmm1, %xmm1
	vucomiss	%xmm1, %xmm1
	vpxor	%xmm1, %xmm1, %xmm1
	jp	.L2940
	jmp	.L2921
	.cfi_endproc
.LFE7725:
	.size	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0:
.LFB7730:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%rbx
	andq	$-128, %rsp
	subq	$1160, %rsp
	.cfi_offset 14, -24
	.cfi_offset 3, -32
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %rdx
	movq	(%rax), %rsi
	vmovups	%zmm0, 608(%rsp)
	vmovups	%zmm0, 672(%rsp)
	leaq	127(%rdx), %r9
	testq	%rdx, %rdx
	movq	%rdx, %rax
	vmovups	%zmm0, 736(%rsp)
	cmovs	%r9, %rax
	leaq	254(%rdx), %rcx
	vmovups	%zmm0, 800(%rsp)
	vmovups	%zmm0, 864(%rsp)
	vmovups	%zmm0, 928(%rsp)
	movq	%rax, %r8
	vmovups	%zmm0, 992(%rsp)
	sarq	$7, %r8
	testq	%r9, %r9
	vmovups	%zmm0, 1056(%rsp)
	cmovns	%r9, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %rdx
	jle	.L2968
	movq	%rax, %r9
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%r9
	leaq	584(%rsp,%r9,4), %r10
	.p2align 4,,10
	.p2align 3
.L2967:
	vmovdqu8	%xmm1, 362(%rsp)
	movzwl	(%rsi,%rax,2), %r9d
	vmovdqu8	%xmm1, 376(%rsp)
	movw	%r9w, 360(%rsp)
	vcvtph2ps	360(%rsp), %zmm0
	vmovss	%xmm0, 24(%r10,%rax,4)
	addq	$1, %rax
	cmpq	%rax, %rdx
	jne	.L2967
.L2968:
	vmovss	.LC1(%rip), %xmm0
	movq	8(%rdi), %rdi
	movq	(%rdi), %r10
	vmovss	%xmm0, 8(%rdi)
	testq	%rdx, %rdx
	jle	.L3018
	vmovups	608(%rsp), %zmm7
	vmovups	672(%rsp), %zmm6
	vmovups	736(%rsp), %zmm22
	vmovups	800(%rsp), %zmm23
	vmovups	864(%rsp), %zmm5
	vmovups	928(%rsp), %zmm4
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
	cmpq	$127, %rdx
	jle	.L2999
	cmpq	%rcx, %r8
	movq	%rcx, %r11
	vxorps	%xmm3, %xmm3, %xmm3
	movq	%rsi, %rax
	cmovle	%r8, %r11
	xorl	%r9d, %r9d
	.p2align 4,,10
	.p2align 3
.L2971:
	vcvtph2ps	64(%rax), %zmm11
	vcvtph2ps	96(%rax), %zmm10
	vcvtph2ps	(%rax), %zmm1
	vcvtph2ps	32(%rax), %zmm8
	vmaxps	%zmm11, %zmm1, %zmm0
	vmaxps	%zmm10, %zmm8, %zmm9
	vaddps	%zmm11, %zmm1, %zmm1
	vaddps	%zmm10, %zmm8, %zmm8
	vcvtph2ps	128(%rax), %zmm11
	vcvtph2ps	160(%rax), %zmm10
	vmaxps	%zmm11, %zmm0, %zmm0
	vmaxps	%zmm10, %zmm9, %zmm9
	vaddps	%zmm11, %zmm1, %zmm1
	vaddps	%zmm10, %zmm8, %zmm8
	vcvtph2ps	192(%rax), %zmm11
	vcvtph2ps	224(%rax), %zmm10
	vmaxps	%zmm11, %zmm0, %zmm0
	vmaxps	%zmm10, %zmm9, %zmm9
	vaddps	%zmm11, %zmm1, %zmm1
	vaddps	%zmm10, %zmm8, %zmm8
	vmaxps	%zmm9, %zmm0, %zmm0
	vaddps	%zmm8, %zmm1, %zmm1
	vaddps	%zmm1, %zmm3, %zmm3
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vmovss	%xmm0, (%r10,%r9,4)
	vmovss	8(%rdi), %xmm0
	vmovd	%xmm1, %ebx
	vucomiss	%xmm0, %xmm1
	vmovd	%xmm0, %r14d
	cmovbe	%r14d, %ebx
	addq	$1, %r9
	addq	$256, %rax
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r11, %r9
	jl	.L2971
	cmpq	%r9, %rcx
	jle	.L2976
.L2969:
	vmaxps	%zmm22, %zmm7, %zmm0
	vmaxps	%zmm23, %zmm6, %zmm1
	vaddps	%zmm7, %zmm22, %zmm9
	vaddps	%zmm6, %zmm23, %zmm8
	vmaxps	%zmm5, %zmm0, %zmm0
	vmaxps	%zmm4, %zmm1, %zmm1
	vaddps	%zmm9, %zmm5, %zmm9
	vaddps	%zmm8, %zmm4, %zmm8
	vmaxps	%zmm24, %zmm1, %zmm1
	vmaxps	%zmm2, %zmm0, %zmm0
	vaddps	%zmm24, %zmm8, %zmm8
	vaddps	%zmm9, %zmm2, %zmm9
	vmaxps	%zmm1, %zmm0, %zmm0
	vaddps	%zmm9, %zmm8, %zmm8
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$17, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vmovd	%xmm1, %eax
	.p2align 4,,10
	.p2align 3
.L2975:
	vmovss	%xmm1, (%r10,%r9,4)
	movl	%eax, %ebx
	vucomiss	8(%rdi), %xmm1
	cmovbe	8(%rdi), %ebx
	addq	$1, %r9
	vaddps	%zmm8, %zmm3, %zmm3
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r9, %rcx
	jg	.L2975
.L2976:
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm3, %ymm1
	vaddps	%ymm3, %ymm1, %ymm1
	vmovss	%xmm0, 8(%rdi)
	vextractf128	$0x1, %ymm1, %xmm3
	vaddps	%xmm1, %xmm3, %xmm3
	vpermilps	$78, %xmm3, %xmm1
	vaddps	%xmm3, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm3
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm3, %xmm1
	vucomiss	%xmm1, %xmm1
	jnp	.L3019
	cmpq	$127, %rdx
	jle	.L3000
	cmpq	%rcx, %r8
	movq	%rcx, %rbx
	vpxor	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r9
	cmovle	%r8, %rbx
	vpternlogd	$0xFF, %zmm15, %zmm15, %zmm15
	xorl	%r10d, %r10d
	.p2align 4,,10
	.p2align 3
.L2982:
	vcvtph2ps	(%r9), %zmm14
	vcvtph2ps	32(%r9), %zmm13
	vcmpps	$4, %zmm14, %zmm14, %k1
	vcvtph2ps	64(%r9), %zmm12
	vcmpps	$4, %zmm13, %zmm13, %k0
	addq	$1, %r10
	vcvtph2ps	96(%r9), %zmm11
	vcvtph2ps	128(%r9), %zmm10
	vcmpps	$4, %zmm12, %zmm12, %k2
	vcmpps	$4, %zmm11, %zmm11, %k3
	vcvtph2ps	160(%r9), %zmm9
	vcvtph2ps	192(%r9), %zmm8
	kmovw	%k1, %eax
	vcmpps	$4, %zmm10, %zmm10, %k4
	vcmpps	$4, %zmm9, %zmm9, %k5
	vcvtph2ps	224(%r9), %zmm3
	kmovw	%k0, %r14d
	orl	%r14d, %eax
	vcmpps	$4, %zmm8, %zmm8, %k6
	addq	$256, %r9
	kmovw	%k2, %r11d
	orl	%r11d, %eax
	kmovw	%k3, %r11d
	vcmpps	$4, %zmm3, %zmm3, %k1
	orl	%r11d, %eax
	kmovw	%k4, %r11d
	orl	%r11d, %eax
	kmovw	%k5, %r11d
	orl	%r11d, %eax
	kmovw	%k6, %r11d
	orl	%r11d, %eax
	kmovw	%eax, %k7
	korw	%k1, %k7, %k1
	vmovdqa32	%zmm15, %zmm1{%k1}
	cmpq	%rbx, %r10
	jl	.L2982
	cmpq	%rcx, %r10
	jge	.L2998
.L2981:
	vcmpps	$4, %zmm7, %zmm7, %k1
	vcmpps	$4, %zmm6, %zmm6, %k0
	vcmpps	$4, %zmm22, %zmm22, %k2
	vcmpps	$4, %zmm23, %zmm23, %k3
	vcmpps	$4, %zmm5, %zmm5, %k4
	vcmpps	$4, %zmm4, %zmm4, %k5
	kmovw	%k1, %eax
	kmovw	%k0, %ebx
	orl	%ebx, %eax
	vcmpps	$4, %zmm2, %zmm2, %k6
	kmovw	%k2, %r9d
	orl	%r9d, %eax
	kmovw	%k3, %r9d
	vcmpps	$4, %zmm24, %zmm24, %k1
	orl	%r9d, %eax
	kmovw	%k4, %r9d
	vpternlogd	$0xFF, %zmm2, %zmm2, %zmm2
	orl	%r9d, %eax
	kmovw	%k5, %r9d
	orl	%r9d, %eax
	kmovw	%k6, %r9d
	orl	%r9d, %eax
	kmovw	%eax, %k7
	korw	%k7, %k1, %k1
	.p2align 4,,10
	.p2align 3
.L2984:
	addq	$1, %r10
	vmovdqa32	%zmm2, %zmm1{%k1}
	cmpq	%r10, %rcx
	jg	.L2984
.L2998:
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L2986
.L2979:
	xorl	%eax, %eax
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2999:
	.cfi_restore_state
	vxorps	%xmm3, %xmm3, %xmm3
	xorl	%r9d, %r9d
	jmp	.L2969
.L2986:
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L2979
	vcomiss	.LC120(%rip), %xmm0
	ja	.L2979
	testq	%rdx, %rdx
	jle	.L3001
	vmovups	672(%rsp), %zmm6
	vmovups	736(%rsp), %zmm22
	vmovups	800(%rsp), %zmm23
	vmovups	864(%rsp), %zmm5
	vmovups	928(%rsp), %zmm4
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
.L2980:
	vbroadcastss	%xmm0, %zmm0
	vsubps	%zmm0, %zmm6, %zmm18
	vsubps	%zmm0, %zmm22, %zmm22
	vsubps	%zmm0, %zmm23, %zmm23
	vsubps	%zmm0, %zmm5, %zmm25
	vsubps	%zmm0, %zmm4, %zmm4
	vsubps	%zmm0, %zmm2, %zmm19
	cmpq	$127, %rdx
	jle	.L3002
	vpxor	%xmm1, %xmm1, %xmm1
	cmpq	%rcx, %r8
	movq	%rcx, %r9
	movq	%rsi, %rdx
	vbroadcastss	.LC29(%rip), %zmm6
	cmovle	%r8, %r9
	xorl	%eax, %eax
	vmovdqa64	%zmm1, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vmaxps	%zmm18, %zmm6, %zmm1
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm12
	vmovaps	%zmm10, %zmm31
	vmovaps	%zmm10, %zmm30
	vbroadcastss	.LC43(%rip), %zmm13
	vbroadcastss	.LC45(%rip), %zmm14
	vmulps	%zmm7, %zmm1, %zmm2
	vmovaps	%zmm10, %zmm29
	vbroadcastss	.LC47(%rip), %zmm15
	vbroadcastss	.LC49(%rip), %zmm16
	vmovaps	%zmm10, %zmm28
	vmovaps	%zmm10, %zmm27
	vmovaps	%zmm10, %zmm26
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm31
	vfmadd132ps	%zmm1, %zmm12, %zmm31
	vfmadd132ps	%zmm1, %zmm13, %zmm31
	vfmadd132ps	%zmm1, %zmm14, %zmm31
	vfmadd132ps	%zmm1, %zmm15, %zmm31
	vfmadd132ps	%zmm3, %zmm1, %zmm31
	vmaxps	%zmm22, %zmm6, %zmm1
	vaddps	%zmm16, %zmm31, %zmm31
	vscalefps	%zmm2, %zmm31, %zmm31
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm31, 136(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm30
	vfmadd132ps	%zmm1, %zmm12, %zmm30
	vfmadd132ps	%zmm1, %zmm13, %zmm30
	vfmadd132ps	%zmm1, %zmm14, %zmm30
	vfmadd132ps	%zmm1, %zmm15, %zmm30
	vfmadd132ps	%zmm3, %zmm1, %zmm30
	vmaxps	%zmm23, %zmm6, %zmm1
	vaddps	%zmm16, %zmm30, %zmm30
	vscalefps	%zmm2, %zmm30, %zmm30
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm30, 72(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm29
	vfmadd132ps	%zmm1, %zmm12, %zmm29
	vfmadd132ps	%zmm1, %zmm13, %zmm29
	vfmadd132ps	%zmm1, %zmm14, %zmm29
	vfmadd132ps	%zmm1, %zmm15, %zmm29
	vfmadd132ps	%zmm3, %zmm1, %zmm29
	vmaxps	%zmm25, %zmm6, %zmm1
	vaddps	%zmm16, %zmm29, %zmm29
	vscalefps	%zmm2, %zmm29, %zmm29
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm29, 8(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm28
	vfmadd132ps	%zmm1, %zmm12, %zmm28
	vfmadd132ps	%zmm1, %zmm13, %zmm28
	vfmadd132ps	%zmm1, %zmm14, %zmm28
	vfmadd132ps	%zmm1, %zmm15, %zmm28
	vfmadd132ps	%zmm3, %zmm1, %zmm28
	vaddps	%zmm16, %zmm28, %zmm28
	vscalefps	%zmm2, %zmm28, %zmm28
	vmaxps	%zmm4, %zmm6, %zmm2
	vmulps	%zmm7, %zmm2, %zmm1
	vmovaps	%zmm28, -56(%rsp)
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vfmadd231ps	%zmm9, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm27
	vfmadd132ps	%zmm2, %zmm12, %zmm27
	vfmadd132ps	%zmm2, %zmm13, %zmm27
	vfmadd132ps	%zmm2, %zmm14, %zmm27
	vfmadd132ps	%zmm2, %zmm15, %zmm27
	vfmadd132ps	%zmm3, %zmm2, %zmm27
	vmaxps	%zmm19, %zmm6, %zmm2
	vaddps	%zmm16, %zmm27, %zmm27
	vscalefps	%zmm1, %zmm27, %zmm27
	vmulps	%zmm7, %zmm2, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vfmadd231ps	%zmm9, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm26
	vfmadd132ps	%zmm2, %zmm12, %zmm26
	vfmadd132ps	%zmm2, %zmm13, %zmm26
	vfmadd132ps	%zmm2, %zmm14, %zmm26
	vfmadd132ps	%zmm2, %zmm15, %zmm26
	vfmadd132ps	%zmm3, %zmm2, %zmm26
	vaddps	%zmm16, %zmm26, %zmm26
	vscalefps	%zmm1, %zmm26, %zmm26
.L2992:
	vcvtph2ps	(%rdx), %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vmovaps	%zmm10, %zmm2
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vfmadd231ps	%zmm9, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm5
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd132ps	%zmm1, %zmm15, %zmm2
	vfmadd231ps	%zmm5, %zmm2, %zmm1
	vaddps	%zmm16, %zmm1, %zmm1
	vscalefps	%zmm3, %zmm1, %zmm1
	cmpq	%rax, %r8
	jg	.L2990
	vmovaps	72(%rsp), %zmm20
	vmovaps	8(%rsp), %zmm28
	vmovaps	%zmm27, %zmm21
	vmovaps	%zmm26, %zmm17
	vmovaps	-56(%rsp), %zmm5
	vmovaps	%zmm24, %zmm2
	vmovaps	136(%rsp), %zmm29
.L2991:
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm3
	addq	$1, %rax
	addq	$256, %rdx
	vaddps	%zmm29, %zmm1, %zmm1
	vaddps	%zmm28, %zmm20, %zmm20
	vaddps	%zmm21, %zmm5, %zmm5
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm20, %zmm1, %zmm1
	vmulps	%zmm7, %zmm2, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vfmadd231ps	%zmm9, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm31
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm31, %zmm2, %zmm3
	vaddps	%zmm16, %zmm3, %zmm3
	vscalefps	%zmm30, %zmm3, %zmm3
	vaddps	%zmm3, %zmm17, %zmm17
	vaddps	%zmm17, %zmm5, %zmm5
	vaddps	%zmm5, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%r9, %rax
	jl	.L2992
	cmpq	%rax, %rcx
	jle	.L2988
.L2989:
	vmovaps	%zmm10, %zmm20
	vmaxps	%zmm22, %zmm6, %zmm22
	vmaxps	%zmm23, %zmm6, %zmm23
	movq	%rax, %rdx
	vmovups	608(%rsp), %zmm5
	vmovaps	%zmm10, %zmm21
	salq	$8, %rdx
	addq	%rsi, %rdx
	vsubps	%zmm0, %zmm5, %zmm1
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm20
	vfmadd132ps	%zmm1, %zmm12, %zmm20
	vfmadd132ps	%zmm1, %zmm13, %zmm20
	vfmadd132ps	%zmm1, %zmm14, %zmm20
	vfmadd132ps	%zmm1, %zmm15, %zmm20
	vfmadd132ps	%zmm3, %zmm1, %zmm20
	vmaxps	%zmm18, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm18
	vaddps	%zmm16, %zmm20, %zmm20
	vscalefps	%zmm2, %zmm20, %zmm20
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm18
	vfmadd132ps	%zmm1, %zmm12, %zmm18
	vfmadd132ps	%zmm1, %zmm13, %zmm18
	vfmadd132ps	%zmm1, %zmm14, %zmm18
	vfmadd132ps	%zmm1, %zmm15, %zmm18
	vfmadd132ps	%zmm3, %zmm1, %zmm18
	vaddps	%zmm16, %zmm18, %zmm18
	vscalefps	%zmm2, %zmm18, %zmm18
	vmulps	%zmm7, %zmm22, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm22
	vmovaps	%zmm22, %zmm1
	vmovaps	%zmm10, %zmm22
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm21
	vfmadd132ps	%zmm1, %zmm12, %zmm21
	vfmadd132ps	%zmm1, %zmm13, %zmm21
	vfmadd132ps	%zmm1, %zmm14, %zmm21
	vfmadd132ps	%zmm1, %zmm15, %zmm21
	vfmadd132ps	%zmm3, %zmm1, %zmm21
	vaddps	%zmm16, %zmm21, %zmm21
	vscalefps	%zmm2, %zmm21, %zmm21
	vmulps	%zmm7, %zmm23, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm23
	vmovaps	%zmm23, %zmm1
	vmovaps	%zmm10, %zmm23
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm22
	vfmadd132ps	%zmm1, %zmm12, %zmm22
	vfmadd132ps	%zmm1, %zmm13, %zmm22
	vfmadd132ps	%zmm1, %zmm14, %zmm22
	vfmadd132ps	%zmm1, %zmm15, %zmm22
	vfmadd132ps	%zmm3, %zmm1, %zmm22
	vmaxps	%zmm25, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm25
	vaddps	%zmm16, %zmm22, %zmm22
	vscalefps	%zmm2, %zmm22, %zmm22
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm23
	vfmadd132ps	%zmm1, %zmm12, %zmm23
	vfmadd132ps	%zmm1, %zmm13, %zmm23
	vfmadd132ps	%zmm1, %zmm14, %zmm23
	vfmadd132ps	%zmm1, %zmm15, %zmm23
	vfmadd132ps	%zmm3, %zmm1, %zmm23
	vmaxps	%zmm4, %zmm6, %zmm1
	vaddps	%zmm16, %zmm23, %zmm23
	vscalefps	%zmm2, %zmm23, %zmm23
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm25
	vfmadd132ps	%zmm1, %zmm12, %zmm25
	vfmadd132ps	%zmm1, %zmm13, %zmm25
	vfmadd132ps	%zmm1, %zmm14, %zmm25
	vfmadd132ps	%zmm1, %zmm15, %zmm25
	vfmadd132ps	%zmm3, %zmm1, %zmm25
	vmaxps	%zmm19, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm19
	vaddps	%zmm16, %zmm25, %zmm25
	vscalefps	%zmm2, %zmm25, %zmm25
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm19
	vfmadd132ps	%zmm1, %zmm12, %zmm19
	vfmadd132ps	%zmm1, %zmm13, %zmm19
	vfmadd132ps	%zmm1, %zmm14, %zmm19
	vfmadd132ps	%zmm1, %zmm15, %zmm19
	vfmadd132ps	%zmm3, %zmm1, %zmm19
	vaddps	%zmm16, %zmm19, %zmm19
	vscalefps	%zmm2, %zmm19, %zmm19
	jmp	.L2996
.L3020:
	vmovaps	%zmm18, %zmm1
	vmovaps	%zmm21, %zmm4
	vmovaps	%zmm22, %zmm26
	vmovaps	%zmm23, %zmm3
	vmovaps	%zmm25, %zmm17
	vmovaps	%zmm19, %zmm5
	vmovaps	%zmm24, %zmm28
.L2995:
	vsubps	%zmm0, %zmm28, %zmm28
	vmovaps	%zmm10, %zmm2
	addq	$1, %rax
	addq	$256, %rdx
	vaddps	%zmm20, %zmm1, %zmm1
	vaddps	%zmm26, %zmm4, %zmm4
	vaddps	%zmm17, %zmm3, %zmm3
	vmaxps	%zmm28, %zmm6, %zmm28
	vaddps	%zmm4, %zmm1, %zmm1
	vmulps	%zmm7, %zmm28, %zmm27
	vrndscaleps	$8, %zmm27, %zmm27
	vfmadd231ps	%zmm8, %zmm27, %zmm28
	vfmadd231ps	%zmm9, %zmm27, %zmm28
	vmulps	%zmm28, %zmm28, %zmm29
	vfmadd132ps	%zmm28, %zmm11, %zmm2
	vfmadd132ps	%zmm28, %zmm12, %zmm2
	vfmadd132ps	%zmm28, %zmm13, %zmm2
	vfmadd132ps	%zmm28, %zmm14, %zmm2
	vfmadd132ps	%zmm28, %zmm15, %zmm2
	vfmadd132ps	%zmm29, %zmm28, %zmm2
	vaddps	%zmm16, %zmm2, %zmm2
	vscalefps	%zmm27, %zmm2, %zmm2
	vaddps	%zmm5, %zmm2, %zmm2
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm3, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%rax, %rcx
	jle	.L2988
.L2996:
	cmpq	%rax, %r8
	jle	.L3020
	vcvtph2ps	32(%rdx), %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vmovaps	%zmm10, %zmm2
	vmovaps	%zmm10, %zmm26
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vfmadd231ps	%zmm9, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm4
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd132ps	%zmm1, %zmm15, %zmm2
	vfmadd231ps	%zmm4, %zmm2, %zmm1
	vcvtph2ps	64(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm4
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm1, %zmm1
	vscalefps	%zmm3, %zmm1, %zmm1
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm4
	vfmadd132ps	%zmm2, %zmm12, %zmm4
	vfmadd132ps	%zmm2, %zmm13, %zmm4
	vfmadd132ps	%zmm2, %zmm14, %zmm4
	vfmadd132ps	%zmm2, %zmm15, %zmm4
	vfmadd132ps	%zmm5, %zmm2, %zmm4
	vcvtph2ps	96(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm4, %zmm4
	vscalefps	%zmm3, %zmm4, %zmm4
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm26
	vfmadd132ps	%zmm2, %zmm12, %zmm26
	vfmadd132ps	%zmm2, %zmm13, %zmm26
	vfmadd132ps	%zmm2, %zmm14, %zmm26
	vfmadd132ps	%zmm2, %zmm15, %zmm26
	vfmadd132ps	%zmm5, %zmm2, %zmm26
	vcvtph2ps	128(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm26, %zmm26
	vmulps	%zmm7, %zmm2, %zmm5
	vscalefps	%zmm3, %zmm26, %zmm26
	vmovaps	%zmm10, %zmm3
	vrndscaleps	$8, %zmm5, %zmm5
	vfmadd231ps	%zmm8, %zmm5, %zmm2
	vfmadd231ps	%zmm9, %zmm5, %zmm2
	vmulps	%zmm2, %zmm2, %zmm17
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm17, %zmm2, %zmm3
	vmovaps	%zmm10, %zmm17
	vcvtph2ps	160(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm3, %zmm3
	vscalefps	%zmm5, %zmm3, %zmm3
	vmulps	%zmm7, %zmm2, %zmm5
	vrndscaleps	$8, %zmm5, %zmm5
	vfmadd231ps	%zmm8, %zmm5, %zmm2
	vfmadd231ps	%zmm9, %zmm5, %zmm2
	vmulps	%zmm2, %zmm2, %zmm27
	vfmadd132ps	%zmm2, %zmm11, %zmm17
	vfmadd132ps	%zmm2, %zmm12, %zmm17
	vfmadd132ps	%zmm2, %zmm13, %zmm17
	vfmadd132ps	%zmm2, %zmm14, %zmm17
	vfmadd132ps	%zmm2, %zmm15, %zmm17
	vfmadd132ps	%zmm27, %zmm2, %zmm17
	vcvtph2ps	192(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm17, %zmm17
	vmulps	%zmm7, %zmm2, %zmm27
	vscalefps	%zmm5, %zmm17, %zmm17
	vmovaps	%zmm10, %zmm5
	vrndscaleps	$8, %zmm27, %zmm27
	vfmadd231ps	%zmm8, %zmm27, %zmm2
	vfmadd231ps	%zmm9, %zmm27, %zmm2
	vmulps	%zmm2, %zmm2, %zmm28
	vfmadd132ps	%zmm2, %zmm11, %zmm5
	vfmadd132ps	%zmm2, %zmm12, %zmm5
	vfmadd132ps	%zmm2, %zmm13, %zmm5
	vfmadd132ps	%zmm2, %zmm14, %zmm5
	vfmadd132ps	%zmm2, %zmm15, %zmm5
	vfmadd132ps	%zmm28, %zmm2, %zmm5
	vcvtph2ps	224(%rdx), %zmm28
	vaddps	%zmm16, %zmm5, %zmm5
	vscalefps	%zmm27, %zmm5, %zmm5
	jmp	.L2995
.L3019:
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L2979
	vcomiss	.LC120(%rip), %xmm0
	jbe	.L2980
	jmp	.L2979
.L3000:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%r10d, %r10d
	jmp	.L2981
.L3002:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%eax, %eax
	vbroadcastss	.LC29(%rip), %zmm6
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vmovdqa64	%zmm1, 392(%rsp)
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC41(%rip), %zmm12
	vbroadcastss	.LC43(%rip), %zmm13
	vbroadcastss	.LC45(%rip), %zmm14
	vbroadcastss	.LC47(%rip), %zmm15
	vbroadcastss	.LC49(%rip), %zmm16
	jmp	.L2989
.L2990:
	vcvtph2ps	32(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm29
	vmovaps	%zmm10, %zmm20
	vmovaps	%zmm10, %zmm28
	vmaxps	%zmm2, %zmm6, %zmm2
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm29
	vfmadd132ps	%zmm2, %zmm12, %zmm29
	vfmadd132ps	%zmm2, %zmm13, %zmm29
	vfmadd132ps	%zmm2, %zmm14, %zmm29
	vfmadd132ps	%zmm2, %zmm15, %zmm29
	vfmadd132ps	%zmm5, %zmm2, %zmm29
	vcvtph2ps	64(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm29, %zmm29
	vscalefps	%zmm3, %zmm29, %zmm29
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm20
	vfmadd132ps	%zmm2, %zmm12, %zmm20
	vfmadd132ps	%zmm2, %zmm13, %zmm20
	vfmadd132ps	%zmm2, %zmm14, %zmm20
	vfmadd132ps	%zmm2, %zmm15, %zmm20
	vfmadd132ps	%zmm5, %zmm2, %zmm20
	vcvtph2ps	96(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm20, %zmm20
	vscalefps	%zmm3, %zmm20, %zmm20
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm28
	vfmadd132ps	%zmm2, %zmm12, %zmm28
	vfmadd132ps	%zmm2, %zmm13, %zmm28
	vfmadd132ps	%zmm2, %zmm14, %zmm28
	vfmadd132ps	%zmm2, %zmm15, %zmm28
	vfmadd132ps	%zmm5, %zmm2, %zmm28
	vcvtph2ps	128(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm28, %zmm28
	vmulps	%zmm7, %zmm2, %zmm17
	vscalefps	%zmm3, %zmm28, %zmm28
	vmovaps	%zmm10, %zmm3
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm2
	vfmadd231ps	%zmm9, %zmm17, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm5
	vmovaps	%zmm10, %zmm3
	vcvtph2ps	160(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm5, %zmm5
	vscalefps	%zmm17, %zmm5, %zmm5
	vmulps	%zmm7, %zmm2, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm2
	vfmadd231ps	%zmm9, %zmm17, %zmm2
	vmulps	%zmm2, %zmm2, %zmm21
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm21
	vmovaps	%zmm10, %zmm3
	vcvtph2ps	192(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm21, %zmm21
	vmulps	%zmm7, %zmm2, %zmm30
	vscalefps	%zmm17, %zmm21, %zmm21
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vfmadd231ps	%zmm9, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm17
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm17
	vcvtph2ps	224(%rdx), %zmm2
	vaddps	%zmm16, %zmm17, %zmm17
	vscalefps	%zmm30, %zmm17, %zmm17
	jmp	.L2991
.L3001:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqa64	%zmm0, 392(%rsp)
	vmovdqa64	%zmm0, 456(%rsp)
.L2988:
	vxorpd	%xmm0, %xmm0, %xmm0
	movl	$1, %eax
	vaddsd	392(%rsp), %xmm0, %xmm0
	vaddsd	400(%rsp), %xmm0, %xmm0
	vaddsd	408(%rsp), %xmm0, %xmm0
	vaddsd	416(%rsp), %xmm0, %xmm0
	vaddsd	424(%rsp), %xmm0, %xmm0
	vaddsd	432(%rsp), %xmm0, %xmm0
	vaddsd	440(%rsp), %xmm0, %xmm0
	vaddsd	448(%rsp), %xmm0, %xmm0
	vaddsd	456(%rsp), %xmm0, %xmm0
	vaddsd	464(%rsp), %xmm0, %xmm0
	vaddsd	472(%rsp), %xmm0, %xmm0
	vaddsd	480(%rsp), %xmm0, %xmm0
	vaddsd	488(%rsp), %xmm0, %xmm0
	vaddsd	496(%rsp), %xmm0, %xmm0
	vaddsd	504(%rsp), %xmm0, %xmm0
	vaddsd	512(%rsp), %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rdi)
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3018:
	.cfi_restore_state
	vxorps	%xmm1, %xmm1, %xmm1
	vucomiss	%xmm1, %xmm1
	vpxor	%xmm1, %xmm1, %xmm1
	jp	.L2998
	jmp	.L2979
	.cfi_endproc
.LFE7730:
	.size	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0:
.LFB7731:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%rbx
	andq	$-128, %rsp
	subq	$1160, %rsp
	.cfi_offset 14, -24
	.cfi_offset 3, -32
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %rdx
	movq	(%rax), %rsi
	vmovups	%zmm0, 608(%rsp)
	vmovups	%zmm0, 672(%rsp)
	leaq	127(%rdx), %r9
	testq	%rdx, %rdx
	movq	%rdx, %rax
	vmovups	%zmm0, 736(%rsp)
	cmovs	%r9, %rax
	leaq	254(%rdx), %rcx
	vmovups	%zmm0, 800(%rsp)
	vmovups	%zmm0, 864(%rsp)
	vmovups	%zmm0, 928(%rsp)
	movq	%rax, %r8
	vmovups	%zmm0, 992(%rsp)
	sarq	$7, %r8
	testq	%r9, %r9
	vmovups	%zmm0, 1056(%rsp)
	cmovns	%r9, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %rdx
	jle	.L3026
	movq	%rax, %r9
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%r9
	leaq	584(%rsp,%r9,4), %r10
	.p2align 4,,10
	.p2align 3
.L3025:
	vmovdqu8	%xmm1, 362(%rsp)
	movzwl	(%rsi,%rax,2), %r9d
	vmovdqu8	%xmm1, 376(%rsp)
	movw	%r9w, 360(%rsp)
	vpmovzxwd	360(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovss	%xmm0, 24(%r10,%rax,4)
	addq	$1, %rax
	cmpq	%rax, %rdx
	jne	.L3025
.L3026:
	vmovss	.LC1(%rip), %xmm0
	movq	8(%rdi), %rdi
	movq	(%rdi), %r10
	vmovss	%xmm0, 8(%rdi)
	testq	%rdx, %rdx
	jle	.L3076
	vmovups	608(%rsp), %zmm7
	vmovups	672(%rsp), %zmm6
	vmovups	736(%rsp), %zmm4
	vmovups	800(%rsp), %zmm5
	vmovups	864(%rsp), %zmm22
	vmovups	928(%rsp), %zmm23
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
	cmpq	$127, %rdx
	jle	.L3057
	cmpq	%rcx, %r8
	movq	%rcx, %r11
	vxorps	%xmm3, %xmm3, %xmm3
	movq	%rsi, %rax
	cmovle	%r8, %r11
	xorl	%r9d, %r9d
	.p2align 4,,10
	.p2align 3
.L3029:
	vpmovzxwd	(%rax), %zmm11
	vpmovzxwd	32(%rax), %zmm10
	vpmovzxwd	64(%rax), %zmm0
	vpmovzxwd	96(%rax), %zmm8
	vpslld	$16, %zmm11, %zmm11
	vpslld	$16, %zmm10, %zmm10
	vpslld	$16, %zmm0, %zmm0
	vpslld	$16, %zmm8, %zmm8
	vmaxps	%zmm0, %zmm11, %zmm1
	vmaxps	%zmm8, %zmm10, %zmm9
	vaddps	%zmm11, %zmm0, %zmm0
	vaddps	%zmm10, %zmm8, %zmm8
	vpmovzxwd	128(%rax), %zmm11
	vpmovzxwd	160(%rax), %zmm10
	vpslld	$16, %zmm11, %zmm11
	vpslld	$16, %zmm10, %zmm10
	vmaxps	%zmm11, %zmm1, %zmm1
	vmaxps	%zmm10, %zmm9, %zmm9
	vaddps	%zmm11, %zmm0, %zmm0
	vaddps	%zmm10, %zmm8, %zmm8
	vpmovzxwd	192(%rax), %zmm11
	vpmovzxwd	224(%rax), %zmm10
	vpslld	$16, %zmm11, %zmm11
	vpslld	$16, %zmm10, %zmm10
	vaddps	%zmm11, %zmm0, %zmm0
	vaddps	%zmm10, %zmm8, %zmm8
	vmaxps	%zmm11, %zmm1, %zmm1
	vmaxps	%zmm10, %zmm9, %zmm9
	vaddps	%zmm8, %zmm0, %zmm0
	vaddps	%zmm0, %zmm3, %zmm3
	vmaxps	%zmm9, %zmm1, %zmm0
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vmovss	%xmm0, (%r10,%r9,4)
	vmovss	8(%rdi), %xmm0
	vmovd	%xmm1, %ebx
	vucomiss	%xmm0, %xmm1
	vmovd	%xmm0, %r14d
	cmovbe	%r14d, %ebx
	addq	$1, %r9
	addq	$256, %rax
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r11, %r9
	jl	.L3029
	cmpq	%r9, %rcx
	jle	.L3034
.L3027:
	vmaxps	%zmm4, %zmm7, %zmm0
	vmaxps	%zmm5, %zmm6, %zmm1
	vaddps	%zmm4, %zmm7, %zmm9
	vaddps	%zmm5, %zmm6, %zmm8
	vmaxps	%zmm22, %zmm0, %zmm0
	vmaxps	%zmm23, %zmm1, %zmm1
	vaddps	%zmm22, %zmm9, %zmm9
	vaddps	%zmm23, %zmm8, %zmm8
	vmaxps	%zmm24, %zmm1, %zmm1
	vmaxps	%zmm2, %zmm0, %zmm0
	vaddps	%zmm24, %zmm8, %zmm8
	vaddps	%zmm2, %zmm9, %zmm9
	vmaxps	%zmm1, %zmm0, %zmm0
	vaddps	%zmm9, %zmm8, %zmm8
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$17, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vmovd	%xmm1, %eax
	.p2align 4,,10
	.p2align 3
.L3033:
	vmovss	%xmm1, (%r10,%r9,4)
	movl	%eax, %ebx
	vucomiss	8(%rdi), %xmm1
	cmovbe	8(%rdi), %ebx
	addq	$1, %r9
	vaddps	%zmm8, %zmm3, %zmm3
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r9, %rcx
	jg	.L3033
.L3034:
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm3, %ymm1
	vaddps	%ymm3, %ymm1, %ymm1
	vmovss	%xmm0, 8(%rdi)
	vextractf128	$0x1, %ymm1, %xmm3
	vaddps	%xmm1, %xmm3, %xmm3
	vpermilps	$78, %xmm3, %xmm1
	vaddps	%xmm3, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm3
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm3, %xmm1
	vucomiss	%xmm1, %xmm1
	jnp	.L3077
	cmpq	$127, %rdx
	jle	.L3058
	cmpq	%rcx, %r8
	movq	%rcx, %rbx
	vpxor	%xmm14, %xmm14, %xmm14
	movq	%rsi, %r9
	cmovle	%r8, %rbx
	vpternlogd	$0xFF, %zmm15, %zmm15, %zmm15
	xorl	%r10d, %r10d
	.p2align 4,,10
	.p2align 3
.L3040:
	vpmovzxwd	(%r9), %zmm13
	vpmovzxwd	32(%r9), %zmm12
	addq	$1, %r10
	addq	$256, %r9
	vpmovzxwd	-128(%r9), %zmm9
	vpmovzxwd	-96(%r9), %zmm8
	vpslld	$16, %zmm13, %zmm13
	vpslld	$16, %zmm12, %zmm12
	vpmovzxwd	-192(%r9), %zmm11
	vpmovzxwd	-160(%r9), %zmm10
	vcmpps	$4, %zmm13, %zmm13, %k1
	vcmpps	$4, %zmm12, %zmm12, %k0
	vpmovzxwd	-64(%r9), %zmm3
	vpmovzxwd	-32(%r9), %zmm1
	vpslld	$16, %zmm11, %zmm11
	vpslld	$16, %zmm10, %zmm10
	vcmpps	$4, %zmm11, %zmm11, %k3
	vcmpps	$4, %zmm10, %zmm10, %k4
	vpslld	$16, %zmm9, %zmm9
	kmovw	%k1, %eax
	kmovw	%k0, %r14d
	vpslld	$16, %zmm8, %zmm8
	vcmpps	$4, %zmm9, %zmm9, %k5
	orl	%r14d, %eax
	kmovw	%k3, %r11d
	vcmpps	$4, %zmm8, %zmm8, %k6
	orl	%r11d, %eax
	kmovw	%k4, %r11d
	vpslld	$16, %zmm3, %zmm3
	vpslld	$16, %zmm1, %zmm1
	orl	%r11d, %eax
	vcmpps	$4, %zmm3, %zmm3, %k7
	kmovw	%k5, %r11d
	vcmpps	$4, %zmm1, %zmm1, %k1
	orl	%r11d, %eax
	kmovw	%k6, %r11d
	orl	%r11d, %eax
	kmovw	%k7, %r11d
	orl	%r11d, %eax
	kmovw	%eax, %k2
	korw	%k1, %k2, %k1
	vmovdqa32	%zmm15, %zmm14{%k1}
	cmpq	%rbx, %r10
	jl	.L3040
	cmpq	%rcx, %r10
	jge	.L3056
.L3039:
	vcmpps	$4, %zmm6, %zmm6, %k1
	vcmpps	$4, %zmm4, %zmm4, %k2
	vpternlogd	$0xFF, %zmm1, %zmm1, %zmm1
	vcmpps	$4, %zmm5, %zmm5, %k3
	vcmpps	$4, %zmm22, %zmm22, %k4
	vcmpps	$4, %zmm23, %zmm23, %k5
	vcmpps	$4, %zmm2, %zmm2, %k6
	kmovw	%k1, %ebx
	kmovw	%k2, %eax
	orl	%ebx, %eax
	vcmpps	$4, %zmm7, %zmm7, %k0
	kmovw	%k3, %r9d
	orl	%r9d, %eax
	vcmpps	$4, %zmm24, %zmm24, %k1
	kmovw	%k4, %r9d
	orl	%r9d, %eax
	kmovw	%k5, %r9d
	orl	%r9d, %eax
	kmovw	%k6, %r9d
	orl	%r9d, %eax
	korw	%k0, %k1, %k1
	kmovw	%eax, %k7
	korw	%k7, %k1, %k1
	.p2align 4,,10
	.p2align 3
.L3042:
	addq	$1, %r10
	vmovdqa32	%zmm1, %zmm14{%k1}
	cmpq	%r10, %rcx
	jg	.L3042
.L3056:
	vpmovd2m	%zmm14, %k0
	kortestw	%k0, %k0
	je	.L3044
.L3037:
	xorl	%eax, %eax
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3057:
	.cfi_restore_state
	vxorps	%xmm3, %xmm3, %xmm3
	xorl	%r9d, %r9d
	jmp	.L3027
.L3044:
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L3037
	vcomiss	.LC120(%rip), %xmm0
	ja	.L3037
	testq	%rdx, %rdx
	jle	.L3059
	vmovups	672(%rsp), %zmm6
	vmovups	736(%rsp), %zmm4
	vmovups	800(%rsp), %zmm5
	vmovups	864(%rsp), %zmm22
	vmovups	928(%rsp), %zmm23
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
.L3038:
	vbroadcastss	%xmm0, %zmm0
	vsubps	%zmm0, %zmm6, %zmm18
	vsubps	%zmm0, %zmm4, %zmm4
	vsubps	%zmm0, %zmm5, %zmm25
	vsubps	%zmm0, %zmm22, %zmm22
	vsubps	%zmm0, %zmm23, %zmm23
	vsubps	%zmm0, %zmm2, %zmm19
	cmpq	$127, %rdx
	jle	.L3060
	vpxor	%xmm1, %xmm1, %xmm1
	cmpq	%rcx, %r8
	movq	%rcx, %r9
	movq	%rsi, %rdx
	vbroadcastss	.LC29(%rip), %zmm6
	cmovle	%r8, %r9
	xorl	%eax, %eax
	vmovdqa64	%zmm1, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vmaxps	%zmm18, %zmm6, %zmm1
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm12
	vmovaps	%zmm10, %zmm31
	vmovaps	%zmm10, %zmm30
	vbroadcastss	.LC43(%rip), %zmm13
	vbroadcastss	.LC45(%rip), %zmm14
	vmulps	%zmm7, %zmm1, %zmm2
	vmovaps	%zmm10, %zmm29
	vbroadcastss	.LC47(%rip), %zmm15
	vbroadcastss	.LC49(%rip), %zmm16
	vmovaps	%zmm10, %zmm28
	vmovaps	%zmm10, %zmm27
	vmovaps	%zmm10, %zmm26
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm31
	vfmadd132ps	%zmm1, %zmm12, %zmm31
	vfmadd132ps	%zmm1, %zmm13, %zmm31
	vfmadd132ps	%zmm1, %zmm14, %zmm31
	vfmadd132ps	%zmm1, %zmm15, %zmm31
	vfmadd132ps	%zmm3, %zmm1, %zmm31
	vmaxps	%zmm4, %zmm6, %zmm1
	vaddps	%zmm16, %zmm31, %zmm31
	vscalefps	%zmm2, %zmm31, %zmm31
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm31, 136(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm30
	vfmadd132ps	%zmm1, %zmm12, %zmm30
	vfmadd132ps	%zmm1, %zmm13, %zmm30
	vfmadd132ps	%zmm1, %zmm14, %zmm30
	vfmadd132ps	%zmm1, %zmm15, %zmm30
	vfmadd132ps	%zmm3, %zmm1, %zmm30
	vmaxps	%zmm25, %zmm6, %zmm1
	vaddps	%zmm16, %zmm30, %zmm30
	vscalefps	%zmm2, %zmm30, %zmm30
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm30, 72(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm29
	vfmadd132ps	%zmm1, %zmm12, %zmm29
	vfmadd132ps	%zmm1, %zmm13, %zmm29
	vfmadd132ps	%zmm1, %zmm14, %zmm29
	vfmadd132ps	%zmm1, %zmm15, %zmm29
	vfmadd132ps	%zmm3, %zmm1, %zmm29
	vmaxps	%zmm22, %zmm6, %zmm1
	vaddps	%zmm16, %zmm29, %zmm29
	vscalefps	%zmm2, %zmm29, %zmm29
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm29, 8(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm28
	vfmadd132ps	%zmm1, %zmm12, %zmm28
	vfmadd132ps	%zmm1, %zmm13, %zmm28
	vfmadd132ps	%zmm1, %zmm14, %zmm28
	vfmadd132ps	%zmm1, %zmm15, %zmm28
	vfmadd132ps	%zmm3, %zmm1, %zmm28
	vaddps	%zmm16, %zmm28, %zmm28
	vscalefps	%zmm2, %zmm28, %zmm28
	vmaxps	%zmm23, %zmm6, %zmm2
	vmulps	%zmm7, %zmm2, %zmm1
	vmovaps	%zmm28, -56(%rsp)
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vfmadd231ps	%zmm9, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm27
	vfmadd132ps	%zmm2, %zmm12, %zmm27
	vfmadd132ps	%zmm2, %zmm13, %zmm27
	vfmadd132ps	%zmm2, %zmm14, %zmm27
	vfmadd132ps	%zmm2, %zmm15, %zmm27
	vfmadd132ps	%zmm3, %zmm2, %zmm27
	vmaxps	%zmm19, %zmm6, %zmm2
	vaddps	%zmm16, %zmm27, %zmm27
	vscalefps	%zmm1, %zmm27, %zmm27
	vmulps	%zmm7, %zmm2, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vfmadd231ps	%zmm9, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm26
	vfmadd132ps	%zmm2, %zmm12, %zmm26
	vfmadd132ps	%zmm2, %zmm13, %zmm26
	vfmadd132ps	%zmm2, %zmm14, %zmm26
	vfmadd132ps	%zmm2, %zmm15, %zmm26
	vfmadd132ps	%zmm3, %zmm2, %zmm26
	vaddps	%zmm16, %zmm26, %zmm26
	vscalefps	%zmm1, %zmm26, %zmm26
.L3050:
	vpmovzxwd	(%rdx), %zmm1
	vmovaps	%zmm10, %zmm2
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vfmadd231ps	%zmm9, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm5
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd132ps	%zmm1, %zmm15, %zmm2
	vfmadd231ps	%zmm5, %zmm2, %zmm1
	vaddps	%zmm16, %zmm1, %zmm1
	vscalefps	%zmm3, %zmm1, %zmm1
	cmpq	%rax, %r8
	jg	.L3048
	vmovaps	72(%rsp), %zmm20
	vmovaps	8(%rsp), %zmm28
	vmovaps	%zmm27, %zmm21
	vmovaps	%zmm26, %zmm17
	vmovaps	-56(%rsp), %zmm5
	vmovaps	%zmm24, %zmm2
	vmovaps	136(%rsp), %zmm29
.L3049:
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm3
	addq	$1, %rax
	addq	$256, %rdx
	vaddps	%zmm29, %zmm1, %zmm1
	vaddps	%zmm28, %zmm20, %zmm20
	vaddps	%zmm21, %zmm5, %zmm5
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm20, %zmm1, %zmm1
	vmulps	%zmm7, %zmm2, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vfmadd231ps	%zmm9, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm31
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm31, %zmm2, %zmm3
	vaddps	%zmm16, %zmm3, %zmm3
	vscalefps	%zmm30, %zmm3, %zmm3
	vaddps	%zmm3, %zmm17, %zmm17
	vaddps	%zmm17, %zmm5, %zmm5
	vaddps	%zmm5, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%r9, %rax
	jl	.L3050
	cmpq	%rax, %rcx
	jle	.L3046
.L3047:
	vmovaps	%zmm10, %zmm2
	vmaxps	%zmm22, %zmm6, %zmm22
	vmaxps	%zmm23, %zmm6, %zmm23
	movq	%rax, %rdx
	vmovups	608(%rsp), %zmm5
	salq	$8, %rdx
	addq	%rsi, %rdx
	vsubps	%zmm0, %zmm5, %zmm1
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vfmadd231ps	%zmm9, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm5
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd132ps	%zmm1, %zmm15, %zmm2
	vfmadd132ps	%zmm5, %zmm1, %zmm2
	vmaxps	%zmm18, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm5
	vaddps	%zmm16, %zmm2, %zmm2
	vrndscaleps	$8, %zmm5, %zmm5
	vscalefps	%zmm3, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm3
	vfmadd231ps	%zmm8, %zmm5, %zmm1
	vfmadd231ps	%zmm9, %zmm5, %zmm1
	vmulps	%zmm1, %zmm1, %zmm17
	vfmadd132ps	%zmm1, %zmm11, %zmm3
	vfmadd132ps	%zmm1, %zmm12, %zmm3
	vfmadd132ps	%zmm1, %zmm13, %zmm3
	vfmadd132ps	%zmm1, %zmm14, %zmm3
	vfmadd132ps	%zmm1, %zmm15, %zmm3
	vfmadd132ps	%zmm17, %zmm1, %zmm3
	vmaxps	%zmm4, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm4
	vaddps	%zmm16, %zmm3, %zmm3
	vscalefps	%zmm5, %zmm3, %zmm3
	vmulps	%zmm7, %zmm1, %zmm5
	vrndscaleps	$8, %zmm5, %zmm5
	vfmadd231ps	%zmm8, %zmm5, %zmm1
	vfmadd231ps	%zmm9, %zmm5, %zmm1
	vmulps	%zmm1, %zmm1, %zmm17
	vfmadd132ps	%zmm1, %zmm11, %zmm4
	vfmadd132ps	%zmm1, %zmm12, %zmm4
	vfmadd132ps	%zmm1, %zmm13, %zmm4
	vfmadd132ps	%zmm1, %zmm14, %zmm4
	vfmadd132ps	%zmm1, %zmm15, %zmm4
	vfmadd132ps	%zmm17, %zmm1, %zmm4
	vmaxps	%zmm25, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm17
	vaddps	%zmm16, %zmm4, %zmm4
	vrndscaleps	$8, %zmm17, %zmm17
	vscalefps	%zmm5, %zmm4, %zmm4
	vmovaps	%zmm10, %zmm5
	vfmadd231ps	%zmm8, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm5
	vfmadd132ps	%zmm1, %zmm12, %zmm5
	vfmadd132ps	%zmm1, %zmm13, %zmm5
	vfmadd132ps	%zmm1, %zmm14, %zmm5
	vfmadd132ps	%zmm1, %zmm15, %zmm5
	vfmadd132ps	%zmm18, %zmm1, %zmm5
	vmulps	%zmm7, %zmm22, %zmm18
	vaddps	%zmm16, %zmm5, %zmm5
	vrndscaleps	$8, %zmm18, %zmm18
	vscalefps	%zmm17, %zmm5, %zmm5
	vmovaps	%zmm10, %zmm17
	vfmadd231ps	%zmm8, %zmm18, %zmm22
	vmovaps	%zmm22, %zmm1
	vfmadd231ps	%zmm9, %zmm18, %zmm1
	vmulps	%zmm1, %zmm1, %zmm20
	vfmadd132ps	%zmm1, %zmm11, %zmm17
	vfmadd132ps	%zmm1, %zmm12, %zmm17
	vfmadd132ps	%zmm1, %zmm13, %zmm17
	vfmadd132ps	%zmm1, %zmm14, %zmm17
	vfmadd132ps	%zmm1, %zmm15, %zmm17
	vfmadd132ps	%zmm20, %zmm1, %zmm17
	vmulps	%zmm7, %zmm23, %zmm20
	vaddps	%zmm16, %zmm17, %zmm17
	vrndscaleps	$8, %zmm20, %zmm20
	vscalefps	%zmm18, %zmm17, %zmm17
	vmovaps	%zmm10, %zmm18
	vfmadd231ps	%zmm8, %zmm20, %zmm23
	vmovaps	%zmm23, %zmm1
	vfmadd231ps	%zmm9, %zmm20, %zmm1
	vmulps	%zmm1, %zmm1, %zmm21
	vfmadd132ps	%zmm1, %zmm11, %zmm18
	vfmadd132ps	%zmm1, %zmm12, %zmm18
	vfmadd132ps	%zmm1, %zmm13, %zmm18
	vfmadd132ps	%zmm1, %zmm14, %zmm18
	vfmadd132ps	%zmm1, %zmm15, %zmm18
	vfmadd132ps	%zmm21, %zmm1, %zmm18
	vmaxps	%zmm19, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm19
	vaddps	%zmm16, %zmm18, %zmm18
	vscalefps	%zmm20, %zmm18, %zmm18
	vmulps	%zmm7, %zmm1, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm8, %zmm20, %zmm1
	vfmadd231ps	%zmm9, %zmm20, %zmm1
	vmulps	%zmm1, %zmm1, %zmm21
	vfmadd132ps	%zmm1, %zmm11, %zmm19
	vfmadd132ps	%zmm1, %zmm12, %zmm19
	vfmadd132ps	%zmm1, %zmm13, %zmm19
	vfmadd132ps	%zmm1, %zmm14, %zmm19
	vfmadd132ps	%zmm1, %zmm15, %zmm19
	vfmadd132ps	%zmm21, %zmm1, %zmm19
	vaddps	%zmm16, %zmm19, %zmm19
	vscalefps	%zmm20, %zmm19, %zmm19
	jmp	.L3054
.L3078:
	vmovaps	%zmm3, %zmm21
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm5, %zmm20
	vmovaps	%zmm17, %zmm25
	vmovaps	%zmm18, %zmm22
	vmovaps	%zmm19, %zmm26
	vmovaps	%zmm24, %zmm28
.L3053:
	vsubps	%zmm0, %zmm28, %zmm28
	vmovaps	%zmm10, %zmm1
	addq	$1, %rax
	addq	$256, %rdx
	vaddps	%zmm25, %zmm22, %zmm22
	vaddps	%zmm23, %zmm20, %zmm20
	vaddps	%zmm2, %zmm21, %zmm21
	vmaxps	%zmm28, %zmm6, %zmm28
	vaddps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm7, %zmm28, %zmm27
	vrndscaleps	$8, %zmm27, %zmm27
	vfmadd231ps	%zmm8, %zmm27, %zmm28
	vfmadd231ps	%zmm9, %zmm27, %zmm28
	vmulps	%zmm28, %zmm28, %zmm29
	vfmadd132ps	%zmm28, %zmm11, %zmm1
	vfmadd132ps	%zmm28, %zmm12, %zmm1
	vfmadd132ps	%zmm28, %zmm13, %zmm1
	vfmadd132ps	%zmm28, %zmm14, %zmm1
	vfmadd132ps	%zmm28, %zmm15, %zmm1
	vfmadd132ps	%zmm29, %zmm28, %zmm1
	vaddps	%zmm16, %zmm1, %zmm1
	vscalefps	%zmm27, %zmm1, %zmm1
	vaddps	%zmm26, %zmm1, %zmm1
	vaddps	%zmm22, %zmm1, %zmm1
	vaddps	%zmm20, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm20
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm20, %zmm20
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm20, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm20, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%rax, %rcx
	jle	.L3046
.L3054:
	cmpq	%rax, %r8
	jle	.L3078
	vpmovzxwd	32(%rdx), %zmm1
	vmovaps	%zmm10, %zmm21
	vmovaps	%zmm10, %zmm23
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm8, %zmm20, %zmm1
	vfmadd231ps	%zmm9, %zmm20, %zmm1
	vmulps	%zmm1, %zmm1, %zmm22
	vfmadd132ps	%zmm1, %zmm11, %zmm21
	vfmadd132ps	%zmm1, %zmm12, %zmm21
	vfmadd132ps	%zmm1, %zmm13, %zmm21
	vfmadd132ps	%zmm1, %zmm14, %zmm21
	vfmadd132ps	%zmm1, %zmm15, %zmm21
	vfmadd132ps	%zmm22, %zmm1, %zmm21
	vpmovzxwd	64(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm21, %zmm21
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm20, %zmm21, %zmm21
	vmulps	%zmm7, %zmm1, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm8, %zmm20, %zmm1
	vfmadd231ps	%zmm9, %zmm20, %zmm1
	vmulps	%zmm1, %zmm1, %zmm22
	vfmadd132ps	%zmm1, %zmm11, %zmm23
	vfmadd132ps	%zmm1, %zmm12, %zmm23
	vfmadd132ps	%zmm1, %zmm13, %zmm23
	vfmadd132ps	%zmm1, %zmm14, %zmm23
	vfmadd132ps	%zmm1, %zmm15, %zmm23
	vfmadd132ps	%zmm22, %zmm1, %zmm23
	vpmovzxwd	96(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm23, %zmm23
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm20, %zmm23, %zmm23
	vmovaps	%zmm10, %zmm20
	vmulps	%zmm7, %zmm1, %zmm22
	vrndscaleps	$8, %zmm22, %zmm22
	vfmadd231ps	%zmm8, %zmm22, %zmm1
	vfmadd231ps	%zmm9, %zmm22, %zmm1
	vmulps	%zmm1, %zmm1, %zmm25
	vfmadd132ps	%zmm1, %zmm11, %zmm20
	vfmadd132ps	%zmm1, %zmm12, %zmm20
	vfmadd132ps	%zmm1, %zmm13, %zmm20
	vfmadd132ps	%zmm1, %zmm14, %zmm20
	vfmadd132ps	%zmm1, %zmm15, %zmm20
	vfmadd132ps	%zmm25, %zmm1, %zmm20
	vmovaps	%zmm10, %zmm25
	vpmovzxwd	128(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm20, %zmm20
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm7, %zmm1, %zmm22
	vrndscaleps	$8, %zmm22, %zmm22
	vfmadd231ps	%zmm8, %zmm22, %zmm1
	vfmadd231ps	%zmm9, %zmm22, %zmm1
	vmulps	%zmm1, %zmm1, %zmm26
	vfmadd132ps	%zmm1, %zmm11, %zmm25
	vfmadd132ps	%zmm1, %zmm12, %zmm25
	vfmadd132ps	%zmm1, %zmm13, %zmm25
	vfmadd132ps	%zmm1, %zmm14, %zmm25
	vfmadd132ps	%zmm1, %zmm15, %zmm25
	vfmadd132ps	%zmm26, %zmm1, %zmm25
	vpmovzxwd	160(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm25, %zmm25
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm22, %zmm25, %zmm25
	vmovaps	%zmm10, %zmm22
	vmulps	%zmm7, %zmm1, %zmm26
	vrndscaleps	$8, %zmm26, %zmm26
	vfmadd231ps	%zmm8, %zmm26, %zmm1
	vfmadd231ps	%zmm9, %zmm26, %zmm1
	vmulps	%zmm1, %zmm1, %zmm27
	vfmadd132ps	%zmm1, %zmm11, %zmm22
	vfmadd132ps	%zmm1, %zmm12, %zmm22
	vfmadd132ps	%zmm1, %zmm13, %zmm22
	vfmadd132ps	%zmm1, %zmm14, %zmm22
	vfmadd132ps	%zmm1, %zmm15, %zmm22
	vfmadd132ps	%zmm27, %zmm1, %zmm22
	vpmovzxwd	192(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm22, %zmm22
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm26, %zmm22, %zmm22
	vmovaps	%zmm10, %zmm26
	vmulps	%zmm7, %zmm1, %zmm27
	vrndscaleps	$8, %zmm27, %zmm27
	vfmadd231ps	%zmm8, %zmm27, %zmm1
	vfmadd231ps	%zmm9, %zmm27, %zmm1
	vmulps	%zmm1, %zmm1, %zmm28
	vfmadd132ps	%zmm1, %zmm11, %zmm26
	vfmadd132ps	%zmm1, %zmm12, %zmm26
	vfmadd132ps	%zmm1, %zmm13, %zmm26
	vfmadd132ps	%zmm1, %zmm14, %zmm26
	vfmadd132ps	%zmm1, %zmm15, %zmm26
	vfmadd132ps	%zmm28, %zmm1, %zmm26
	vpmovzxwd	224(%rdx), %zmm28
	vpslld	$16, %zmm28, %zmm28
	vaddps	%zmm16, %zmm26, %zmm26
	vscalefps	%zmm27, %zmm26, %zmm26
	jmp	.L3053
.L3077:
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L3037
	vcomiss	.LC120(%rip), %xmm0
	jbe	.L3038
	jmp	.L3037
.L3058:
	vpxor	%xmm14, %xmm14, %xmm14
	xorl	%r10d, %r10d
	jmp	.L3039
.L3060:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%eax, %eax
	vbroadcastss	.LC29(%rip), %zmm6
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vmovdqa64	%zmm1, 392(%rsp)
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC41(%rip), %zmm12
	vbroadcastss	.LC43(%rip), %zmm13
	vbroadcastss	.LC45(%rip), %zmm14
	vbroadcastss	.LC47(%rip), %zmm15
	vbroadcastss	.LC49(%rip), %zmm16
	jmp	.L3047
.L3048:
	vpmovzxwd	32(%rdx), %zmm2
	vmovaps	%zmm10, %zmm29
	vmovaps	%zmm10, %zmm20
	vmovaps	%zmm10, %zmm28
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm29
	vfmadd132ps	%zmm2, %zmm12, %zmm29
	vfmadd132ps	%zmm2, %zmm13, %zmm29
	vfmadd132ps	%zmm2, %zmm14, %zmm29
	vfmadd132ps	%zmm2, %zmm15, %zmm29
	vfmadd132ps	%zmm5, %zmm2, %zmm29
	vpmovzxwd	64(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm29, %zmm29
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm3, %zmm29, %zmm29
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm20
	vfmadd132ps	%zmm2, %zmm12, %zmm20
	vfmadd132ps	%zmm2, %zmm13, %zmm20
	vfmadd132ps	%zmm2, %zmm14, %zmm20
	vfmadd132ps	%zmm2, %zmm15, %zmm20
	vfmadd132ps	%zmm5, %zmm2, %zmm20
	vpmovzxwd	96(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm20, %zmm20
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm3, %zmm20, %zmm20
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm28
	vfmadd132ps	%zmm2, %zmm12, %zmm28
	vfmadd132ps	%zmm2, %zmm13, %zmm28
	vfmadd132ps	%zmm2, %zmm14, %zmm28
	vfmadd132ps	%zmm2, %zmm15, %zmm28
	vfmadd132ps	%zmm5, %zmm2, %zmm28
	vpmovzxwd	128(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm28, %zmm28
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm3, %zmm28, %zmm28
	vmovaps	%zmm10, %zmm3
	vmulps	%zmm7, %zmm2, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm2
	vfmadd231ps	%zmm9, %zmm17, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm5
	vmovaps	%zmm10, %zmm3
	vpmovzxwd	160(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm5, %zmm5
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm17, %zmm5, %zmm5
	vmulps	%zmm7, %zmm2, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm2
	vfmadd231ps	%zmm9, %zmm17, %zmm2
	vmulps	%zmm2, %zmm2, %zmm21
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm21
	vmovaps	%zmm10, %zmm3
	vpmovzxwd	192(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm21, %zmm21
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm17, %zmm21, %zmm21
	vmulps	%zmm7, %zmm2, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vfmadd231ps	%zmm9, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm17
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm17
	vpmovzxwd	224(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vaddps	%zmm16, %zmm17, %zmm17
	vscalefps	%zmm30, %zmm17, %zmm17
	jmp	.L3049
.L3059:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqa64	%zmm0, 392(%rsp)
	vmovdqa64	%zmm0, 456(%rsp)
.L3046:
	vxorpd	%xmm0, %xmm0, %xmm0
	movl	$1, %eax
	vaddsd	392(%rsp), %xmm0, %xmm0
	vaddsd	400(%rsp), %xmm0, %xmm0
	vaddsd	408(%rsp), %xmm0, %xmm0
	vaddsd	416(%rsp), %xmm0, %xmm0
	vaddsd	424(%rsp), %xmm0, %xmm0
	vaddsd	432(%rsp), %xmm0, %xmm0
	vaddsd	440(%rsp), %xmm0, %xmm0
	vaddsd	448(%rsp), %xmm0, %xmm0
	vaddsd	456(%rsp), %xmm0, %xmm0
	vaddsd	464(%rsp), %xmm0, %xmm0
	vaddsd	472(%rsp), %xmm0, %xmm0
	vaddsd	480(%rsp), %xmm0, %xmm0
	vaddsd	488(%rsp), %xmm0, %xmm0
	vaddsd	496(%rsp), %xmm0, %xmm0
	vaddsd	504(%rsp), %xmm0, %xmm0
	vaddsd	512(%rsp), %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rdi)
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3076:
	.cfi_restore_state
	vxorps	%xmm1, %xmm1, %xmm1
	vpxor	%xmm14, %xmm14, %xmm14
	vucomiss	%xmm1, %xmm1
	jp	.L3056
	jmp	.L3037
	.cfi_endproc
.LFE7731:
	.size	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryE, @function
_ZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryE:
.LFB6797:
	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	movl	8(%rdi), %eax
	movq	%rdi, (%rsp)
	movq	%rsi, 8(%rsp)
	cmpl	$1, %eax
	je	.L3080
	cmpl	$2, %eax
	je	.L3081
	movq	%rsp, %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0
	addq	$24, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L3080:
	.cfi_restore_state
	movq	%rsp, %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0
	addq	$24, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L3081:
	.cfi_restore_state
	movq	%rsp, %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0
	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE6797:
	.size	_ZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryE, .-_ZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_116load_linear_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEiiPcSC_, @function
_ZN10torchpaged12_GLOBAL__N_116load_linear_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEiiPcSC_:
.LFB6962:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edx, %eax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	movq	%rdi, %r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$384, %rsp
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movl	12(%rdi), %r12d
	movq	80(%rdi), %rdi
	movq	%rsi, 80(%rsp)
	movq	8(%rsi), %rbx
	movq	%r8, 40(%rsp)
	movq	%r9, 24(%rsp)
	movq	%rdi, 176(%rsp)
	cmpl	$5, %r12d
	je	.L3962
	movq	$0, 48(%rsp)
	movq	%rdi, %rsi
	movq	%rdi, %rdx
	addq	%rsi, %rsi
	cmpl	$2, %r12d
	cmove	%rsi, %rdx
	movq	%rdx, 176(%rsp)
.L3088:
	cmpl	%ecx, %eax
	jge	.L3951
	movq	176(%rsp), %rdi
	subl	%eax, %ecx
	movq	80(%rsp), %r10
	leaq	0(,%rdi,4), %rsi
	movq	%rsi, 144(%rsp)
	movslq	%eax, %rsi
	leaq	(%rcx,%rsi), %rax
	movq	%rsi, 96(%rsp)
	movl	%r12d, %ecx
	movq	%rax, 32(%rsp)
	leaq	-32(%rdi), %rax
	movq	%rax, 8(%rsp)
	andq	$-16, %rax
	addq	$16, %rax
	movq	%rax, (%rsp)
.L3588:
	movq	96(%rsp), %rdi
	movslq	16(%r10), %rsi
	movq	%rdi, %r11
	addq	$1, %rdi
	imulq	%rbx, %r11
	movq	%rdi, 96(%rsp)
	movq	%r11, %rax
	cqto
	idivq	%rsi
	movq	%rax, %r11
	movq	%rdi, %rax
	movq	48(%rsp), %rdi
	imulq	%rbx, %rax
	cqto
	idivq	%rsi
	subq	%r11, %rax
	movq	%rax, %rbx
	movq	176(%rsp), %rax
	imulq	%r11, %rax
	leaq	(%rdi,%rax,4), %rax
	movq	40(%rsp), %rdi
	addq	%rdi, %rax
	movq	%rax, 88(%rsp)
	testq	%rbx, %rbx
	jle	.L3090
	movq	16(%r15), %rax
	movq	(%r10), %r8
	leaq	256(%rsp), %r12
	movq	%rbx, 184(%rsp)
	movslq	8(%r15), %rdx
	movq	(%r15), %rsi
	movl	%ecx, 160(%rsp)
	vmovq	%r12, %xmm4
	leaq	-2(%rax), %r9
	addq	%r11, %r8
	movq	40(%r15), %rdi
	leaq	_ZN10torchpagedL11kDTypeBytesE(%rip), %rax
	movq	%rdx, %r14
	movslq	(%rax,%rdx,4), %rax
	movq	%r8, %rdx
	leaq	(%rbx,%r8), %r10
	negq	%rdx
	movl	%r14d, 168(%rsp)
	movq	%r10, %r14
	vmovq	%r11, %xmm2
	leaq	(%r12,%rdx,8), %r13
	movq	%r9, %r10
	movq	%rdi, %r12
	movq	%rax, %rcx
	movq	%r13, %rbx
	movq	%rsi, %r9
	movq	%r8, %rdi
	.p2align 4,,10
	.p2align 3
.L3095:
	movq	%rdi, %rax
	testq	%r12, %r12
	je	.L3092
	movq	(%r12,%rdi,8), %rax
.L3092:
	testq	%r10, %r10
	js	.L3592
	movq	24(%r15), %r8
	movq	32(%r15), %r11
	movq	%r10, %rsi
	xorl	%r13d, %r13d
	.p2align 4,,10
	.p2align 3
.L3094:
	cqto
	idivq	(%r8,%rsi,8)
	imulq	(%r11,%rsi,8), %rdx
	addq	%rdx, %r13
	subq	$1, %rsi
	jnb	.L3094
	movq	%r13, %rax
	imulq	%rcx, %rax
	addq	%r9, %rax
.L3093:
	movq	%rax, (%rbx,%rdi,8)
	addq	$1, %rdi
	cmpq	%r14, %rdi
	jne	.L3095
	movl	160(%rsp), %ecx
	movq	184(%rsp), %rbx
	vmovq	%xmm2, %r11
	vmovq	%xmm4, %r12
	movl	168(%rsp), %r14d
	cmpl	$5, %ecx
	je	.L3963
	testl	%ecx, %ecx
	jne	.L3964
.L3473:
	cmpq	$1, %rbx
	je	.L3495
.L3554:
	cmpq	$31, 176(%rsp)
	jle	.L3965
.L3496:
	leaq	0(,%rbx,8), %rdi
	movq	88(%rsp), %rsi
	movq	%rbx, %rdx
	movq	256(%rsp), %r11
	movq	%rdi, %rax
	salq	$5, %rdx
	movq	%rbx, %r8
	movq	%rbx, %r9
	subq	%rbx, %rax
	leaq	(%rsi,%rdi), %rcx
	addq	%rsi, %rdx
	negq	%r8
	leaq	(%rsi,%rax,8), %rsi
	movq	8(%rsp), %rax
	leaq	(%rbx,%rbx,2), %r10
	negq	%rdi
	movq	280(%rsp), %r12
	salq	$6, %r9
	salq	$2, %r8
	movq	272(%rsp), %r13
	andq	$-16, %rax
	salq	$2, %r10
	vmovq	%r15, %xmm17
	movq	264(%rsp), %r14
	addq	$16, %rax
	movq	%r12, %r15
	vmovq	288(%rsp), %xmm18
	movq	%r11, %r12
	movq	%rax, 184(%rsp)
	xorl	%eax, %eax
	vmovq	296(%rsp), %xmm19
	vmovq	%r13, %xmm16
	vmovq	304(%rsp), %xmm20
	vmovq	312(%rsp), %xmm21
	vmovq	320(%rsp), %xmm22
	vmovq	328(%rsp), %xmm23
	vmovq	336(%rsp), %xmm24
	vmovq	344(%rsp), %xmm25
	vmovq	352(%rsp), %xmm28
	movq	184(%rsp), %r11
	vmovq	360(%rsp), %xmm29
	vmovq	368(%rsp), %xmm30
	jmp	.L3584
	.p2align 4,,10
	.p2align 3
.L3967:
	vmovups	(%r14,%rax,4), %zmm26
	cmpq	$2, %rbx
	je	.L3557
	vmovq	%xmm16, %r13
	vmovups	0(%r13,%rax,4), %zmm15
	cmpq	$3, %rbx
	je	.L3559
	vmovups	(%r15,%rax,4), %zmm3
	cmpq	$4, %rbx
	je	.L3561
	vmovq	%xmm18, %r13
	vmovups	0(%r13,%rax,4), %zmm1
	cmpq	$5, %rbx
	je	.L3563
	vmovq	%xmm19, %r13
	vmovups	0(%r13,%rax,4), %zmm9
	cmpq	$6, %rbx
	je	.L3565
	vmovq	%xmm20, %r13
	vmovups	0(%r13,%rax,4), %zmm7
	cmpq	$7, %rbx
	je	.L3567
	vmovq	%xmm21, %r13
	vmovups	0(%r13,%rax,4), %zmm10
	cmpq	$8, %rbx
	je	.L3569
	vmovq	%xmm22, %r13
	vmovups	0(%r13,%rax,4), %zmm4
	cmpq	$9, %rbx
	je	.L3571
	vmovq	%xmm23, %r13
	vmovups	0(%r13,%rax,4), %zmm13
	cmpq	$10, %rbx
	je	.L3573
	vmovq	%xmm24, %r13
	vmovups	0(%r13,%rax,4), %zmm14
	cmpq	$11, %rbx
	je	.L3575
	vmovq	%xmm25, %r13
	vmovups	0(%r13,%rax,4), %zmm5
	cmpq	$12, %rbx
	je	.L3577
	vmovq	%xmm28, %r13
	vmovups	0(%r13,%rax,4), %zmm2
	cmpq	$13, %rbx
	je	.L3579
	vmovq	%xmm29, %r13
	vmovups	0(%r13,%rax,4), %zmm6
	cmpq	$14, %rbx
	je	.L3581
	vmovq	%xmm30, %r13
	vmovups	0(%r13,%rax,4), %zmm12
	cmpq	$16, %rbx
	jne	.L3603
	movq	376(%rsp), %r13
	vmovups	0(%r13,%rax,4), %zmm8
.L3583:
	vpunpckldq	%zmm26, %zmm0, %zmm11
	vpunpckhdq	%zmm26, %zmm0, %zmm0
	addq	$16, %rax
	vpunpckldq	%zmm3, %zmm15, %zmm26
	vpunpckhdq	%zmm3, %zmm15, %zmm15
	vpunpckldq	%zmm9, %zmm1, %zmm3
	vpunpckhdq	%zmm9, %zmm1, %zmm1
	vpunpckldq	%zmm10, %zmm7, %zmm9
	vpunpckhdq	%zmm10, %zmm7, %zmm7
	vpunpckldq	%zmm13, %zmm4, %zmm10
	vpunpckhdq	%zmm13, %zmm4, %zmm4
	vpunpckldq	%zmm5, %zmm14, %zmm13
	vpunpckhdq	%zmm5, %zmm14, %zmm14
	vpunpckldq	%zmm6, %zmm2, %zmm5
	vpunpckhdq	%zmm6, %zmm2, %zmm2
	vpunpckldq	%zmm8, %zmm12, %zmm6
	vpunpckhdq	%zmm8, %zmm12, %zmm12
	vpunpcklqdq	%zmm26, %zmm11, %zmm8
	vpunpckhqdq	%zmm26, %zmm11, %zmm11
	vpunpcklqdq	%zmm15, %zmm0, %zmm26
	vpunpckhqdq	%zmm15, %zmm0, %zmm0
	vpunpcklqdq	%zmm9, %zmm3, %zmm15
	vpunpckhqdq	%zmm9, %zmm3, %zmm3
	vpunpcklqdq	%zmm7, %zmm1, %zmm9
	vpunpckhqdq	%zmm7, %zmm1, %zmm1
	vpunpcklqdq	%zmm13, %zmm10, %zmm7
	vpunpckhqdq	%zmm13, %zmm10, %zmm10
	vpunpcklqdq	%zmm14, %zmm4, %zmm13
	vpunpckhqdq	%zmm14, %zmm4, %zmm4
	vpunpcklqdq	%zmm6, %zmm5, %zmm14
	vshufi32x4	$136, %zmm14, %zmm7, %zmm27
	vpunpckhqdq	%zmm6, %zmm5, %zmm5
	vshufi32x4	$221, %zmm14, %zmm7, %zmm7
	vpunpcklqdq	%zmm12, %zmm2, %zmm6
	vpunpckhqdq	%zmm12, %zmm2, %zmm2
	vshufi32x4	$136, %zmm15, %zmm8, %zmm12
	vshufi32x4	$221, %zmm15, %zmm8, %zmm8
	vshufi32x4	$136, %zmm27, %zmm12, %zmm15
	vshufi32x4	$221, %zmm27, %zmm12, %zmm12
	vshufi32x4	$136, %zmm7, %zmm8, %zmm14
	vshufi32x4	$136, %zmm3, %zmm11, %zmm27
	vshufi32x4	$221, %zmm7, %zmm8, %zmm8
	vmovups	%zmm15, (%rcx,%rdi)
	vshufi32x4	$221, %zmm3, %zmm11, %zmm3
	vshufi32x4	$136, %zmm5, %zmm10, %zmm7
	vshufi32x4	$221, %zmm5, %zmm10, %zmm5
	vshufi32x4	$136, %zmm7, %zmm27, %zmm11
	vshufi32x4	$136, %zmm5, %zmm3, %zmm10
	vshufi32x4	$221, %zmm7, %zmm27, %zmm7
	vshufi32x4	$221, %zmm5, %zmm3, %zmm5
	vshufi32x4	$136, %zmm9, %zmm26, %zmm27
	vshufi32x4	$136, %zmm6, %zmm13, %zmm3
	vmovups	%zmm11, (%rcx,%r8)
	vshufi32x4	$221, %zmm9, %zmm26, %zmm9
	vshufi32x4	$221, %zmm6, %zmm13, %zmm6
	vshufi32x4	$136, %zmm3, %zmm27, %zmm26
	vshufi32x4	$136, %zmm6, %zmm9, %zmm13
	vshufi32x4	$221, %zmm3, %zmm27, %zmm3
	vshufi32x4	$221, %zmm6, %zmm9, %zmm6
	vmovups	%zmm26, (%rcx)
	vshufi32x4	$136, %zmm1, %zmm0, %zmm9
	vshufi32x4	$136, %zmm2, %zmm4, %zmm27
	vshufi32x4	$221, %zmm1, %zmm0, %zmm1
	vshufi32x4	$221, %zmm2, %zmm4, %zmm0
	vshufi32x4	$136, %zmm27, %zmm9, %zmm4
	vshufi32x4	$221, %zmm27, %zmm9, %zmm27
	vshufi32x4	$136, %zmm0, %zmm1, %zmm2
	vshufi32x4	$221, %zmm0, %zmm1, %zmm1
	vmovups	%zmm4, (%rcx,%rbx,4)
	vmovups	%zmm14, (%rcx,%rbx,8)
	vmovups	%zmm10, (%rcx,%r10)
	addq	%r9, %rcx
	vmovups	%zmm13, (%rdx,%rdi)
	vmovups	%zmm2, (%rdx,%r8)
	vmovups	%zmm12, (%rdx)
	vmovups	%zmm7, (%rdx,%rbx,4)
	vmovups	%zmm3, (%rdx,%rbx,8)
	vmovups	%zmm27, (%rdx,%r10)
	addq	%r9, %rdx
	vmovups	%zmm8, (%rsi,%rdi)
	vmovups	%zmm5, (%rsi,%r8)
	vmovups	%zmm6, (%rsi)
	vmovups	%zmm1, (%rsi,%rbx,4)
	addq	%r9, %rsi
	cmpq	%r11, %rax
	je	.L3966
.L3584:
	vmovups	(%r12,%rax,4), %zmm0
	cmpq	$1, %rbx
	jg	.L3967
	vmovaps	%zmm0, %zmm26
.L3557:
	vmovaps	%zmm0, %zmm15
.L3559:
	vmovaps	%zmm0, %zmm3
.L3561:
	vmovaps	%zmm0, %zmm1
.L3563:
	vmovaps	%zmm0, %zmm9
.L3565:
	vmovaps	%zmm0, %zmm7
.L3567:
	vmovaps	%zmm0, %zmm10
.L3569:
	vmovaps	%zmm0, %zmm4
.L3571:
	vmovaps	%zmm0, %zmm13
.L3573:
	vmovaps	%zmm0, %zmm14
.L3575:
	vmovaps	%zmm0, %zmm5
.L3577:
	vmovaps	%zmm0, %zmm2
.L3579:
	vmovaps	%zmm0, %zmm6
.L3581:
	vmovaps	%zmm0, %zmm8
	vmovaps	%zmm0, %zmm12
	jmp	.L3583
.L3592:
	movq	%r9, %rax
	jmp	.L3093
.L3966:
	movq	%r12, %r11
	movq	(%rsp), %rax
	movq	%r15, %r12
	vmovq	%xmm16, %r13
	vmovq	%xmm17, %r15
	cmpq	%rax, 176(%rsp)
	jle	.L3555
	testq	%rbx, %rbx
	jle	.L3555
	movq	%rax, %rdx
.L3547:
	leaq	0(,%rdx,4), %rax
	movq	88(%rsp), %rdi
	vmovq	%r15, %xmm6
	leaq	0(,%rbx,4), %rsi
	imulq	%rbx, %rdx
	vmovq	%xmm18, %r9
	vmovq	%xmm19, %r10
	vmovq	%xmm21, %r15
	vmovq	%xmm22, %rcx
	vmovdqa64	%xmm23, %xmm7
	leaq	(%rdi,%rdx,4), %rdx
	movq	376(%rsp), %rdi
	vmovq	%rdi, %xmm5
	vmovq	%xmm20, %rdi
	.p2align 4,,10
	.p2align 3
.L3556:
	movl	(%r11,%rax), %r8d
	movl	%r8d, (%rdx)
	cmpq	$1, %rbx
	jle	.L3586
	movl	(%r14,%rax), %r8d
	movl	%r8d, 4(%rdx)
	cmpq	$2, %rbx
	je	.L3586
	movl	0(%r13,%rax), %r8d
	movl	%r8d, 8(%rdx)
	cmpq	$3, %rbx
	je	.L3586
	movl	(%r12,%rax), %r8d
	movl	%r8d, 12(%rdx)
	cmpq	$4, %rbx
	je	.L3586
	movl	(%r9,%rax), %r8d
	movl	%r8d, 16(%rdx)
	cmpq	$5, %rbx
	je	.L3586
	movl	(%r10,%rax), %r8d
	movl	%r8d, 20(%rdx)
	cmpq	$6, %rbx
	je	.L3586
	movl	(%rdi,%rax), %r8d
	movl	%r8d, 24(%rdx)
	cmpq	$7, %rbx
	je	.L3586
	movl	(%r15,%rax), %r8d
	movl	%r8d, 28(%rdx)
	cmpq	$8, %rbx
	je	.L3586
	movl	(%rcx,%rax), %r8d
	movl	%r8d, 32(%rdx)
	cmpq	$9, %rbx
	je	.L3586
	vmovq	%xmm7, %r8
	movl	(%r8,%rax), %r8d
	movl	%r8d, 36(%rdx)
	cmpq	$10, %rbx
	je	.L3586
	vmovq	%xmm24, %r8
	movl	(%r8,%rax), %r8d
	movl	%r8d, 40(%rdx)
	cmpq	$11, %rbx
	je	.L3586
	vmovq	%xmm25, %r8
	movl	(%r8,%rax), %r8d
	movl	%r8d, 44(%rdx)
	cmpq	$12, %rbx
	je	.L3586
	vmovq	%xmm28, %r8
	movl	(%r8,%rax), %r8d
	movl	%r8d, 48(%rdx)
	cmpq	$13, %rbx
	je	.L3586
	vmovq	%xmm29, %r8
	movl	(%r8,%rax), %r8d
	movl	%r8d, 52(%rdx)
	cmpq	$14, %rbx
	je	.L3586
	vmovq	%xmm30, %r8
	movl	(%r8,%rax), %r8d
	movl	%r8d, 56(%rdx)
	cmpq	$15, %rbx
	je	.L3586
	vmovq	%xmm5, %r8
	movl	(%r8,%rax), %r8d
	movl	%r8d, 60(%rdx)
	.p2align 4,,10
	.p2align 3
.L3586:
	addq	$4, %rax
	addq	%rsi, %rdx
	cmpq	%rax, 144(%rsp)
	jne	.L3556
	vmovq	%xmm6, %r15
.L3555:
	movq	32(%rsp), %rdi
	cmpq	%rdi, 96(%rsp)
	je	.L3950
.L3972:
	movq	80(%rsp), %rax
	movl	12(%r15), %ecx
	movq	8(%rax), %rbx
	movq	%rax, %r10
	jmp	.L3588
.L3603:
	vmovaps	%zmm0, %zmm8
	jmp	.L3583
.L3964:
	cmpl	$1, %r14d
	je	.L3474
	cmpl	$2, %r14d
	je	.L3475
	movq	24(%rsp), %r13
	movq	144(%rsp), %rcx
	movq	%rbx, 168(%rsp)
	vpxor	%xmm0, %xmm0, %xmm0
	movq	64(%r15), %r10
	leaq	126(%rcx), %rax
	addq	$63, %rcx
	cmovns	%rcx, %rax
	movq	%r10, %rbx
	movq	%rax, %rcx
	andq	$-64, %rax
	sarq	$6, %rcx
	movq	%rax, 184(%rsp)
	movq	%r12, %rax
	movq	%r13, %r12
	movq	%rcx, 152(%rsp)
	xorl	%ecx, %ecx
	movq	%rcx, %r13
	movq	%rax, %rcx
	movq	(%rcx,%r13,8), %rsi
	testq	%rbx, %rbx
	jle	.L3600
.L3969:
	movq	%r12, %rdi
	movq	%rbx, %r14
	leaq	192(%rsp), %r8
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L3544:
	subq	%rdx, %r14
	cmpq	$15, %r14
	jle	.L3530
	vmovups	(%rsi), %zmm5
	addq	$16, %rdx
	addq	$64, %rsi
	addq	$64, %rdi
	vmovups	%zmm5, -64(%rdi)
	movq	64(%r15), %r14
	cmpq	%r14, %rdx
	jl	.L3544
.L3529:
	cmpq	%r14, 176(%rsp)
	jle	.L3553
	movq	176(%rsp), %rdx
	movq	%rcx, 160(%rsp)
	xorl	%esi, %esi
	leaq	(%r12,%r14,4), %rdi
	subq	%r14, %rdx
	salq	$2, %rdx
	vzeroupper
	call	memset@PLT
	movq	160(%rsp), %rcx
	vpxor	%xmm0, %xmm0, %xmm0
.L3553:
	movq	%r12, (%rcx,%r13,8)
	addq	$1, %r13
	cmpq	%r13, 168(%rsp)
	je	.L3958
	movq	184(%rsp), %rax
	addq	%rax, %r12
	testq	%rbx, %rbx
	jle	.L3968
	movq	%r14, %rbx
	movq	(%rcx,%r13,8), %rsi
	testq	%rbx, %rbx
	jg	.L3969
.L3600:
	movq	%rbx, %r14
	jmp	.L3529
	.p2align 4,,10
	.p2align 3
.L3530:
	salq	$2, %r14
	movq	%r8, %r9
	movq	%rsi, %rax
	vmovdqa64	%zmm0, 192(%rsp)
	cmpl	$8, %r14d
	jnb	.L3970
.L3532:
	testb	$4, %r14b
	je	.L3537
	movl	(%rax), %eax
	movl	%eax, (%r9)
.L3537:
	cmpl	$8, %r14d
	jnb	.L3538
	testb	$4, %r14b
	jne	.L3971
	testl	%r14d, %r14d
	je	.L3539
	movzbl	(%r8), %eax
	movb	%al, (%rdi)
.L3539:
	movq	64(%r15), %r14
	addq	$16, %rdx
	addq	$64, %rsi
	addq	$64, %rdi
	cmpq	%rdx, %r14
	jg	.L3544
	jmp	.L3529
.L3538:
	movq	(%r8), %rax
	movq	%r8, %r10
	movq	%rax, (%rdi)
	movl	%r14d, %eax
	movq	-8(%r8,%rax), %r9
	movq	%r9, -8(%rdi,%rax)
	leaq	8(%rdi), %r9
	movq	%rdi, %rax
	andq	$-8, %r9
	subq	%r9, %rax
	addl	%eax, %r14d
	subq	%rax, %r10
	andl	$-8, %r14d
	cmpl	$8, %r14d
	jb	.L3539
	movq	%rdx, 160(%rsp)
	andl	$-8, %r14d
	xorl	%eax, %eax
.L3542:
	movl	%eax, %r11d
	addl	$8, %eax
	movq	(%r10,%r11), %rdx
	movq	%rdx, (%r9,%r11)
	cmpl	%r14d, %eax
	jb	.L3542
	movq	160(%rsp), %rdx
	jmp	.L3539
.L3970:
	movl	%r14d, %r11d
	xorl	%eax, %eax
	andl	$-8, %r11d
.L3533:
	movl	%eax, %r9d
	addl	$8, %eax
	movq	(%rsi,%r9), %r10
	movq	%r10, (%r8,%r9)
	cmpl	%r11d, %eax
	jb	.L3533
	leaq	(%r8,%rax), %r9
	addq	%rsi, %rax
	jmp	.L3532
.L3958:
	movq	168(%rsp), %rbx
	cmpq	$1, %rbx
	jne	.L3554
.L3495:
	movq	88(%rsp), %rdi
	movq	144(%rsp), %rdx
	movq	256(%rsp), %rsi
	vzeroupper
	call	memcpy@PLT
	movq	32(%rsp), %rdi
	cmpq	%rdi, 96(%rsp)
	jne	.L3972
.L3950:
	vzeroupper
.L3951:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3963:
	.cfi_restore_state
	movq	80(%r15), %rdx
	movq	40(%rsp), %rsi
	movq	%rbx, 72(%rsp)
	leaq	0(,%rbx,8), %r14
	movq	%r14, 184(%rsp)
	movq	64(%r15), %rcx
	leaq	0(,%rdx,4), %rdi
	leaq	62(%rdx), %rax
	addq	$31, %rdx
	vmovq	%xmm4, 104(%rsp)
	cmovns	%rdx, %rax
	movq	%rdi, 56(%rsp)
	sarq	$5, %rax
	imulq	%r11, %rax
	xorl	%r11d, %r11d
	movq	%r11, %rbx
	leaq	(%rsi,%rax,8), %rax
	leaq	63(%rdi), %rsi
	movq	%rsi, %rdx
	movq	%rax, 112(%rsp)
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%rsi,%rdx), %rax
	andl	$63, %eax
	subq	%rdx, %rax
	subq	%rax, %rsi
	movq	24(%rsp), %rax
	movq	%rsi, 64(%rsp)
	addq	$96, %rax
	movq	%rax, 128(%rsp)
	.p2align 4,,10
	.p2align 3
.L3472:
	movq	128(%rsp), %rax
	movq	56(%rsp), %rdx
	xorl	%esi, %esi
	subq	$96, %rax
	subq	%rcx, %rdx
	movq	%rax, 120(%rsp)
	leaq	(%rax,%rcx), %rdi
	vzeroupper
	call	memset@PLT
	movl	8(%r15), %eax
	cmpl	$1, %eax
	je	.L3102
	cmpl	$2, %eax
	je	.L3103
	movq	104(%rsp), %rax
	movq	64(%r15), %rcx
	movq	(%rax,%rbx,8), %r13
	testq	%rcx, %rcx
	jle	.L3105
	movq	112(%rsp), %r9
	xorl	%r8d, %r8d
	movq	%r13, %r10
	movq	%rbx, 16(%rsp)
	movq	%r15, 136(%rsp)
	movq	128(%rsp), %r14
	movq	%r8, %r12
	movq	%rcx, %r13
	leaq	192(%rsp), %rdx
	movq	%r9, %r15
	jmp	.L3471
	.p2align 4,,10
	.p2align 3
.L3359:
	vmulps	(%r10), %zmm2, %zmm3
	vxorps	%xmm5, %xmm5, %xmm5
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm5, %zmm3, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -96(%r14)
	cmpq	$16, %r13
	jle	.L3372
	leaq	-16(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3973
	vmulps	64(%r10), %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -80(%r14)
.L3386:
	cmpq	$32, %r13
	jle	.L3372
	leaq	-32(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3974
	vmulps	128(%r10), %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -64(%r14)
.L3400:
	cmpq	$48, %r13
	jle	.L3372
	leaq	-48(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3975
	vmulps	192(%r10), %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -48(%r14)
.L3414:
	cmpq	$64, %r13
	jle	.L3372
	leaq	-64(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3976
	vmulps	256(%r10), %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -32(%r14)
.L3428:
	cmpq	$80, %r13
	jle	.L3372
	leaq	-80(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3977
	vmulps	320(%r10), %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -16(%r14)
.L3442:
	cmpq	$96, %r13
	jle	.L3372
	leaq	-96(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3978
	vmulps	384(%r10), %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, (%r14)
.L3456:
	cmpq	$112, %r13
	jle	.L3372
	leaq	-112(%rbx), %rax
	cmpq	$128, %rbx
	jne	.L3457
	vmulps	448(%r10), %zmm2, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, 16(%r14)
.L3372:
	vextractf64x4	$0x1, %zmm0, %ymm2
	vdivss	.LC123(%rip), %xmm1, %xmm1
	vaddps	%ymm0, %ymm2, %ymm0
	vextractf128	$0x1, %ymm0, %xmm2
	vaddps	%xmm0, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm0
	vaddps	%xmm2, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm2
	vshufps	$85, %xmm0, %xmm0, %xmm0
	vaddss	%xmm0, %xmm2, %xmm0
	vcvttss2sil	%xmm0, %eax
	negl	%eax
	sall	$7, %eax
.L3358:
	movl	%eax, 4(%r15)
	subq	$-128, %r12
	subq	$-128, %r14
	movq	136(%rsp), %rax
	vmovss	%xmm1, (%r15)
	addq	$512, %r10
	movq	64(%rax), %r13
	movq	184(%rsp), %rax
	addq	%rax, %r15
	cmpq	%r12, %r13
	jle	.L3953
	vzeroupper
.L3471:
	subq	%r12, %r13
	movl	$128, %ebx
	leaq	-96(%r14), %rax
	movq	%r10, %rdi
	cmpq	%rbx, %r13
	movq	%rdx, 152(%rsp)
	cmovle	%r13, %rbx
	movq	%rax, 160(%rsp)
	movq	%r10, 168(%rsp)
	movq	%rbx, %rsi
	call	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl
	movq	168(%rsp), %r10
	vucomiss	.LC122(%rip), %xmm0
	movq	160(%rsp), %rax
	movq	152(%rsp), %rdx
	vmovaps	%xmm0, %xmm1
	jbe	.L3608
	vmovss	.LC93(%rip), %xmm5
	vucomiss	%xmm0, %xmm5
	jbe	.L3608
	vmovss	.LC123(%rip), %xmm5
	vdivss	%xmm0, %xmm5, %xmm2
	vbroadcastss	%xmm2, %zmm2
	cmpq	$15, %r13
	jg	.L3359
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	0(,%rbx,4), %rsi
	movq	%rdx, %rdi
	movq	%r10, %rcx
	vmovdqa64	%zmm0, 192(%rsp)
	cmpl	$8, %esi
	jnb	.L3979
.L3360:
	andl	$4, %esi
	je	.L3365
	movl	(%rcx), %ecx
	movl	%ecx, (%rdi)
.L3365:
	vmulps	192(%rsp), %zmm2, %zmm2
	vxorps	%xmm6, %xmm6, %xmm6
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm0
	vpmovdb	%zmm0, 192(%rsp)
	vaddps	%zmm6, %zmm2, %zmm0
	cmpl	$8, %ebx
	jnb	.L3366
	testb	$4, %bl
	jne	.L3980
	testl	%ebx, %ebx
	je	.L3372
	movzbl	(%rdx), %ecx
	movb	%cl, (%rax)
	testb	$2, %bl
	je	.L3372
	movl	%ebx, %ebx
	movzwl	-2(%rdx,%rbx), %ecx
	movw	%cx, -2(%rax,%rbx)
	jmp	.L3372
	.p2align 4,,10
	.p2align 3
.L3953:
	movq	16(%rsp), %rbx
	movq	136(%rsp), %r15
	movq	%r13, %rcx
.L3105:
	movq	104(%rsp), %rax
	movq	120(%rsp), %rdi
	addq	$8, 112(%rsp)
	movq	%rdi, (%rax,%rbx,8)
	movq	72(%rsp), %rax
	addq	$1, %rbx
	movq	64(%rsp), %rdi
	addq	%rdi, 128(%rsp)
	cmpq	%rax, %rbx
	jne	.L3472
	movq	%rax, %rbx
	jmp	.L3473
	.p2align 4,,10
	.p2align 3
.L3608:
	cmpl	$8, %ebx
	jnb	.L3352
	testb	$4, %bl
	jne	.L3981
	testl	%ebx, %ebx
	je	.L3353
	movb	$0, (%rax)
	testb	$2, %bl
	jne	.L3982
.L3353:
	vcmpnless	.LC122(%rip), %xmm1, %xmm1
	vxorps	%xmm5, %xmm5, %xmm5
	xorl	%eax, %eax
	vmovss	.LC121(%rip), %xmm6
	vblendvps	%xmm1, %xmm6, %xmm5, %xmm1
	jmp	.L3358
.L3973:
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	64(%r10), %rsi
	leaq	0(,%rax,4), %rdi
	movq	%rdx, %r11
	vmovdqa64	%zmm3, 192(%rsp)
	movq	%rsi, %rcx
	cmpl	$8, %edi
	jnb	.L3983
.L3374:
	andl	$4, %edi
	je	.L3379
	movl	(%rcx), %ecx
	movl	%ecx, (%r11)
.L3379:
	vmulps	192(%rsp), %zmm2, %zmm3
	leaq	-80(%r14), %rsi
	vrndscaleps	$8, %zmm3, %zmm3
	vcvttps2dq	%zmm3, %zmm4
	vaddps	%zmm3, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3380
	testb	$4, %al
	jne	.L3984
	testl	%eax, %eax
	je	.L3386
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3386
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3386
	.p2align 4,,10
	.p2align 3
.L3974:
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	128(%r10), %rsi
	leaq	0(,%rax,4), %rdi
	movq	%rdx, %r11
	vmovdqa64	%zmm3, 192(%rsp)
	movq	%rsi, %rcx
	cmpl	$8, %edi
	jnb	.L3985
.L3388:
	andl	$4, %edi
	je	.L3393
	movl	(%rcx), %ecx
	movl	%ecx, (%r11)
.L3393:
	vmulps	192(%rsp), %zmm2, %zmm3
	leaq	-64(%r14), %rsi
	vrndscaleps	$8, %zmm3, %zmm3
	vcvttps2dq	%zmm3, %zmm4
	vaddps	%zmm3, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3394
	testb	$4, %al
	jne	.L3986
	testl	%eax, %eax
	je	.L3400
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3400
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3400
	.p2align 4,,10
	.p2align 3
.L3352:
	leaq	8(%rax), %rdi
	movl	%ebx, %ecx
	movq	$0, (%rax)
	movq	$0, -8(%rax,%rcx)
	andq	$-8, %rdi
	subq	%rdi, %rax
	leal	(%rbx,%rax), %ecx
	xorl	%eax, %eax
	shrl	$3, %ecx
	rep stosq
	jmp	.L3353
.L3975:
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	192(%r10), %rsi
	leaq	0(,%rax,4), %rdi
	movq	%rdx, %r11
	vmovdqa64	%zmm3, 192(%rsp)
	movq	%rsi, %rcx
	cmpl	$8, %edi
	jnb	.L3987
.L3402:
	andl	$4, %edi
	je	.L3407
	movl	(%rcx), %ecx
	movl	%ecx, (%r11)
.L3407:
	vmulps	192(%rsp), %zmm2, %zmm3
	leaq	-48(%r14), %rsi
	vrndscaleps	$8, %zmm3, %zmm3
	vcvttps2dq	%zmm3, %zmm4
	vaddps	%zmm3, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3408
	testb	$4, %al
	jne	.L3988
	testl	%eax, %eax
	je	.L3414
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3414
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3414
	.p2align 4,,10
	.p2align 3
.L3976:
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	256(%r10), %rsi
	leaq	0(,%rax,4), %rdi
	movq	%rdx, %r11
	vmovdqa64	%zmm3, 192(%rsp)
	movq	%rsi, %rcx
	cmpl	$8, %edi
	jnb	.L3989
.L3416:
	andl	$4, %edi
	je	.L3421
	movl	(%rcx), %ecx
	movl	%ecx, (%r11)
.L3421:
	vmulps	192(%rsp), %zmm2, %zmm3
	leaq	-32(%r14), %rsi
	vrndscaleps	$8, %zmm3, %zmm3
	vcvttps2dq	%zmm3, %zmm4
	vaddps	%zmm3, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3422
	testb	$4, %al
	jne	.L3990
	testl	%eax, %eax
	je	.L3428
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3428
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3428
	.p2align 4,,10
	.p2align 3
.L3103:
	movq	104(%rsp), %rax
	movq	64(%r15), %rcx
	movq	(%rax,%rbx,8), %r13
	testq	%rcx, %rcx
	jle	.L3105
	movq	112(%rsp), %r9
	xorl	%r8d, %r8d
	movq	%r13, %r10
	movq	%rbx, 16(%rsp)
	movq	%r15, 136(%rsp)
	movq	128(%rsp), %r14
	movq	%r8, %r12
	movq	%rcx, %r13
	leaq	192(%rsp), %rdx
	movq	%r9, %r15
	jmp	.L3349
	.p2align 4,,10
	.p2align 3
.L3237:
	vpmovzxwd	(%r10), %zmm2
	vxorps	%xmm6, %xmm6, %xmm6
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm6, %zmm2, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, -96(%r14)
	cmpq	$16, %r13
	jle	.L3250
	leaq	-16(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3991
	vpmovzxwd	32(%r10), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, -80(%r14)
.L3264:
	cmpq	$32, %r13
	jle	.L3250
	leaq	-32(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3992
	vpmovzxwd	64(%r10), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, -64(%r14)
.L3278:
	cmpq	$48, %r13
	jle	.L3250
	leaq	-48(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3993
	vpmovzxwd	96(%r10), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, -48(%r14)
.L3292:
	cmpq	$64, %r13
	jle	.L3250
	leaq	-64(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3994
	vpmovzxwd	128(%r10), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, -32(%r14)
.L3306:
	cmpq	$80, %r13
	jle	.L3250
	leaq	-80(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3995
	vpmovzxwd	160(%r10), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, -16(%r14)
.L3320:
	cmpq	$96, %r13
	jle	.L3250
	leaq	-96(%rbx), %rax
	cmpq	$15, %rax
	jle	.L3996
	vpmovzxwd	192(%r10), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, (%r14)
.L3334:
	cmpq	$112, %r13
	jle	.L3250
	leaq	-112(%rbx), %rax
	cmpq	$128, %rbx
	jne	.L3335
	vpmovzxwd	224(%r10), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, 16(%r14)
.L3250:
	vextractf64x4	$0x1, %zmm0, %ymm2
	vdivss	.LC123(%rip), %xmm1, %xmm1
	vaddps	%ymm0, %ymm2, %ymm0
	vextractf128	$0x1, %ymm0, %xmm2
	vaddps	%xmm0, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm0
	vaddps	%xmm2, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm2
	vshufps	$85, %xmm0, %xmm0, %xmm0
	vaddss	%xmm0, %xmm2, %xmm0
	vcvttss2sil	%xmm0, %eax
	negl	%eax
	sall	$7, %eax
.L3236:
	movl	%eax, 4(%r15)
	subq	$-128, %r12
	subq	$-128, %r14
	movq	136(%rsp), %rax
	vmovss	%xmm1, (%r15)
	addq	$256, %r10
	movq	64(%rax), %r13
	movq	184(%rsp), %rax
	addq	%rax, %r15
	cmpq	%r12, %r13
	jle	.L3953
	vzeroupper
.L3349:
	subq	%r12, %r13
	movl	$128, %ebx
	leaq	-96(%r14), %rax
	movq	%r10, %rdi
	cmpq	%rbx, %r13
	movq	%rdx, 152(%rsp)
	cmovle	%r13, %rbx
	movq	%rax, 160(%rsp)
	movq	%r10, 168(%rsp)
	movq	%rbx, %rsi
	call	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl
	movq	168(%rsp), %r10
	vucomiss	.LC122(%rip), %xmm0
	movq	160(%rsp), %rax
	movq	152(%rsp), %rdx
	vmovaps	%xmm0, %xmm1
	jbe	.L3606
	vmovss	.LC93(%rip), %xmm6
	vucomiss	%xmm0, %xmm6
	jbe	.L3606
	vmovss	.LC123(%rip), %xmm6
	vdivss	%xmm0, %xmm6, %xmm3
	vbroadcastss	%xmm3, %zmm3
	cmpq	$15, %r13
	jg	.L3237
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	(%rbx,%rbx), %rsi
	movq	%rdx, %r11
	movq	%r10, %rcx
	vmovdqa	%ymm0, 192(%rsp)
	cmpl	$8, %esi
	jnb	.L3997
.L3238:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3241
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3241:
	andl	$2, %esi
	je	.L3243
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3243:
	vpmovzxwd	192(%rsp), %zmm0
	vxorps	%xmm7, %xmm7, %xmm7
	vpslld	$16, %zmm0, %zmm0
	vmulps	%zmm0, %zmm3, %zmm0
	vrndscaleps	$8, %zmm0, %zmm0
	vcvttps2dq	%zmm0, %zmm2
	vaddps	%zmm7, %zmm0, %zmm0
	vpmovdb	%zmm2, 192(%rsp)
	cmpl	$8, %ebx
	jnb	.L3244
	testb	$4, %bl
	jne	.L3998
	testl	%ebx, %ebx
	je	.L3250
	movzbl	(%rdx), %ecx
	movb	%cl, (%rax)
	testb	$2, %bl
	je	.L3250
	movl	%ebx, %ebx
	movzwl	-2(%rdx,%rbx), %ecx
	movw	%cx, -2(%rax,%rbx)
	jmp	.L3250
	.p2align 4,,10
	.p2align 3
.L3606:
	cmpl	$8, %ebx
	jnb	.L3230
	testb	$4, %bl
	jne	.L3999
	testl	%ebx, %ebx
	je	.L3231
	movb	$0, (%rax)
	testb	$2, %bl
	jne	.L4000
.L3231:
	vcmpnless	.LC122(%rip), %xmm1, %xmm1
	vxorps	%xmm5, %xmm5, %xmm5
	xorl	%eax, %eax
	vmovss	.LC121(%rip), %xmm6
	vblendvps	%xmm1, %xmm6, %xmm5, %xmm1
	jmp	.L3236
.L3991:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	32(%r10), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4001
.L3252:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3255
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3255:
	andl	$2, %esi
	je	.L3257
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3257:
	vpmovzxwd	192(%rsp), %zmm2
	leaq	-80(%r14), %rsi
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm4
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3258
	testb	$4, %al
	jne	.L4002
	testl	%eax, %eax
	je	.L3264
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3264
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3264
	.p2align 4,,10
	.p2align 3
.L3992:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	64(%r10), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4003
.L3266:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3269
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3269:
	andl	$2, %esi
	je	.L3271
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3271:
	vpmovzxwd	192(%rsp), %zmm2
	leaq	-64(%r14), %rsi
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm4
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3272
	testb	$4, %al
	jne	.L4004
	testl	%eax, %eax
	je	.L3278
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3278
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3278
	.p2align 4,,10
	.p2align 3
.L3230:
	leaq	8(%rax), %rdi
	movl	%ebx, %ecx
	movq	$0, (%rax)
	movq	$0, -8(%rax,%rcx)
	andq	$-8, %rdi
	subq	%rdi, %rax
	leal	(%rbx,%rax), %ecx
	xorl	%eax, %eax
	shrl	$3, %ecx
	rep stosq
	jmp	.L3231
.L3993:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	96(%r10), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4005
.L3280:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3283
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3283:
	andl	$2, %esi
	je	.L3285
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3285:
	vpmovzxwd	192(%rsp), %zmm2
	leaq	-48(%r14), %rsi
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm4
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3286
	testb	$4, %al
	jne	.L4006
	testl	%eax, %eax
	je	.L3292
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3292
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3292
	.p2align 4,,10
	.p2align 3
.L3994:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	128(%r10), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4007
.L3294:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3297
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3297:
	andl	$2, %esi
	je	.L3299
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3299:
	vpmovzxwd	192(%rsp), %zmm2
	leaq	-32(%r14), %rsi
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm4
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3300
	testb	$4, %al
	jne	.L4008
	testl	%eax, %eax
	je	.L3306
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3306
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3306
	.p2align 4,,10
	.p2align 3
.L3102:
	movq	104(%rsp), %rax
	movq	64(%r15), %rcx
	movq	(%rax,%rbx,8), %r13
	testq	%rcx, %rcx
	jle	.L3105
	xorl	%r8d, %r8d
	movq	%r15, 136(%rsp)
	movq	%r13, %r15
	movq	128(%rsp), %r14
	movq	%rbx, 16(%rsp)
	movq	112(%rsp), %r9
	movq	%r8, %r12
	movq	%rcx, %r13
	leaq	192(%rsp), %rdx
	jmp	.L3227
	.p2align 4,,10
	.p2align 3
.L3115:
	vcvtph2ps	(%r15), %zmm2
	vmulps	%zmm2, %zmm4, %zmm2
	vxorps	%xmm7, %xmm7, %xmm7
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm7, %zmm2, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, -96(%r14)
	cmpq	$16, %r13
	jle	.L3128
	leaq	-16(%rbx), %rax
	cmpq	$15, %rax
	jle	.L4009
	vcvtph2ps	32(%r15), %zmm3
	vmulps	%zmm3, %zmm4, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -80(%r14)
.L3142:
	cmpq	$32, %r13
	jle	.L3128
	leaq	-32(%rbx), %rax
	cmpq	$15, %rax
	jle	.L4010
	vcvtph2ps	64(%r15), %zmm3
	vmulps	%zmm4, %zmm3, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -64(%r14)
.L3156:
	cmpq	$48, %r13
	jle	.L3128
	leaq	-48(%rbx), %rax
	cmpq	$15, %rax
	jle	.L4011
	vcvtph2ps	96(%r15), %zmm3
	vmulps	%zmm3, %zmm4, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -48(%r14)
.L3170:
	cmpq	$64, %r13
	jle	.L3128
	leaq	-64(%rbx), %rax
	cmpq	$15, %rax
	jle	.L4012
	vcvtph2ps	128(%r15), %zmm3
	vmulps	%zmm3, %zmm4, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -32(%r14)
.L3184:
	cmpq	$80, %r13
	jle	.L3128
	leaq	-80(%rbx), %rax
	cmpq	$15, %rax
	jle	.L4013
	vcvtph2ps	160(%r15), %zmm3
	vmulps	%zmm3, %zmm4, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, -16(%r14)
.L3198:
	cmpq	$96, %r13
	jle	.L3128
	leaq	-96(%rbx), %rax
	cmpq	$15, %rax
	jle	.L4014
	vcvtph2ps	192(%r15), %zmm3
	vmulps	%zmm3, %zmm4, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vaddps	%zmm3, %zmm0, %zmm0
	vcvttps2dq	%zmm3, %zmm3
	vpmovdb	%zmm3, (%r14)
.L3212:
	cmpq	$112, %r13
	jle	.L3128
	leaq	-112(%rbx), %rax
	cmpq	$128, %rbx
	jne	.L3213
	vcvtph2ps	224(%r15), %zmm2
	vmulps	%zmm2, %zmm4, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vaddps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm2, %zmm2
	vpmovdb	%zmm2, 16(%r14)
.L3128:
	vextractf64x4	$0x1, %zmm0, %ymm2
	vdivss	.LC123(%rip), %xmm1, %xmm1
	vaddps	%ymm0, %ymm2, %ymm0
	vextractf128	$0x1, %ymm0, %xmm2
	vaddps	%xmm0, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm0
	vaddps	%xmm2, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm2
	vshufps	$85, %xmm0, %xmm0, %xmm0
	vaddss	%xmm0, %xmm2, %xmm0
	vcvttss2sil	%xmm0, %eax
	negl	%eax
	sall	$7, %eax
.L3114:
	movl	%eax, 4(%r9)
	subq	$-128, %r12
	subq	$-128, %r14
	movq	136(%rsp), %rax
	vmovss	%xmm1, (%r9)
	addq	$256, %r15
	movq	64(%rax), %r13
	movq	184(%rsp), %rax
	addq	%rax, %r9
	cmpq	%r12, %r13
	jle	.L3953
	vzeroupper
.L3227:
	subq	%r12, %r13
	movl	$128, %ebx
	leaq	-96(%r14), %rax
	movq	%r15, %rdi
	cmpq	%rbx, %r13
	movq	%rdx, 152(%rsp)
	cmovle	%r13, %rbx
	movq	%r9, 160(%rsp)
	movq	%rax, 168(%rsp)
	movq	%rbx, %rsi
	call	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl
	movq	168(%rsp), %rax
	vucomiss	.LC122(%rip), %xmm0
	movq	160(%rsp), %r9
	movq	152(%rsp), %rdx
	vmovaps	%xmm0, %xmm1
	jbe	.L3604
	vmovss	.LC93(%rip), %xmm6
	vucomiss	%xmm0, %xmm6
	jbe	.L3604
	vmovss	.LC123(%rip), %xmm7
	vdivss	%xmm0, %xmm7, %xmm2
	vbroadcastss	%xmm2, %zmm4
	cmpq	$15, %r13
	jg	.L3115
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	(%rbx,%rbx), %rsi
	movq	%rdx, %r11
	movq	%r15, %rcx
	vmovdqa	%ymm0, 192(%rsp)
	cmpl	$8, %esi
	jnb	.L4015
.L3116:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3119
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3119:
	andl	$2, %esi
	je	.L3121
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3121:
	vcvtph2ps	192(%rsp), %zmm0
	vmulps	%zmm0, %zmm4, %zmm0
	vxorps	%xmm7, %xmm7, %xmm7
	vrndscaleps	$8, %zmm0, %zmm0
	vcvttps2dq	%zmm0, %zmm2
	vaddps	%zmm7, %zmm0, %zmm0
	vpmovdb	%zmm2, 192(%rsp)
	cmpl	$8, %ebx
	jnb	.L3122
	testb	$4, %bl
	jne	.L4016
	testl	%ebx, %ebx
	je	.L3128
	movzbl	(%rdx), %ecx
	movb	%cl, (%rax)
	testb	$2, %bl
	je	.L3128
	movl	%ebx, %ebx
	movzwl	-2(%rdx,%rbx), %ecx
	movw	%cx, -2(%rax,%rbx)
	jmp	.L3128
	.p2align 4,,10
	.p2align 3
.L3604:
	cmpl	$8, %ebx
	jnb	.L3108
	testb	$4, %bl
	jne	.L4017
	testl	%ebx, %ebx
	je	.L3109
	movb	$0, (%rax)
	testb	$2, %bl
	jne	.L4018
.L3109:
	vcmpnless	.LC122(%rip), %xmm1, %xmm1
	vxorps	%xmm5, %xmm5, %xmm5
	xorl	%eax, %eax
	vmovss	.LC121(%rip), %xmm6
	vblendvps	%xmm1, %xmm6, %xmm5, %xmm1
	jmp	.L3114
.L4009:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	32(%r15), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4019
.L3130:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3133
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3133:
	andl	$2, %esi
	je	.L3135
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3135:
	vcvtph2ps	192(%rsp), %zmm2
	leaq	-80(%r14), %rsi
	vmulps	%zmm2, %zmm4, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm3
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm3, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3136
	testb	$4, %al
	jne	.L4020
	testl	%eax, %eax
	je	.L3142
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3142
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3142
	.p2align 4,,10
	.p2align 3
.L4010:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	64(%r15), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4021
.L3144:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3147
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3147:
	andl	$2, %esi
	je	.L3149
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3149:
	vcvtph2ps	192(%rsp), %zmm2
	leaq	-64(%r14), %rsi
	vmulps	%zmm4, %zmm2, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm3
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm3, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3150
	testb	$4, %al
	jne	.L4022
	testl	%eax, %eax
	je	.L3156
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3156
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3156
	.p2align 4,,10
	.p2align 3
.L3108:
	leaq	8(%rax), %rdi
	movl	%ebx, %ecx
	movq	$0, (%rax)
	movq	$0, -8(%rax,%rcx)
	andq	$-8, %rdi
	subq	%rdi, %rax
	leal	(%rbx,%rax), %ecx
	xorl	%eax, %eax
	shrl	$3, %ecx
	rep stosq
	jmp	.L3109
.L4011:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	96(%r15), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4023
.L3158:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3161
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3161:
	andl	$2, %esi
	je	.L3163
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3163:
	vcvtph2ps	192(%rsp), %zmm2
	leaq	-48(%r14), %rsi
	vmulps	%zmm4, %zmm2, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm3
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm3, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3164
	testb	$4, %al
	jne	.L4024
	testl	%eax, %eax
	je	.L3170
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3170
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3170
	.p2align 4,,10
	.p2align 3
.L4012:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	128(%r15), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4025
.L3172:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3175
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3175:
	andl	$2, %esi
	je	.L3177
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3177:
	vcvtph2ps	192(%rsp), %zmm2
	leaq	-32(%r14), %rsi
	vmulps	%zmm2, %zmm4, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm3
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm3, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3178
	testb	$4, %al
	jne	.L4026
	testl	%eax, %eax
	je	.L3184
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3184
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3184
	.p2align 4,,10
	.p2align 3
.L4013:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	160(%r15), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4027
.L3186:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3189
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3189:
	andl	$2, %esi
	je	.L3191
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3191:
	vcvtph2ps	192(%rsp), %zmm2
	leaq	-16(%r14), %rsi
	vmulps	%zmm2, %zmm4, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm3
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm3, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3192
	testb	$4, %al
	jne	.L4028
	testl	%eax, %eax
	je	.L3198
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3198
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3198
	.p2align 4,,10
	.p2align 3
.L3995:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	160(%r10), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%rdx, %r11
	vmovdqa	%ymm2, 192(%rsp)
	movq	%rdi, %rcx
	cmpl	$8, %esi
	jnb	.L4029
.L3308:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3311
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3311:
	andl	$2, %esi
	je	.L3313
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3313:
	vpmovzxwd	192(%rsp), %zmm2
	leaq	-16(%r14), %rsi
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm4
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3314
	testb	$4, %al
	jne	.L4030
	testl	%eax, %eax
	je	.L3320
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3320
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3320
	.p2align 4,,10
	.p2align 3
.L3977:
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	320(%r10), %rsi
	leaq	0(,%rax,4), %rdi
	movq	%rdx, %r11
	vmovdqa64	%zmm3, 192(%rsp)
	movq	%rsi, %rcx
	cmpl	$8, %edi
	jnb	.L4031
.L3430:
	andl	$4, %edi
	je	.L3435
	movl	(%rcx), %ecx
	movl	%ecx, (%r11)
.L3435:
	vmulps	192(%rsp), %zmm2, %zmm3
	leaq	-16(%r14), %rsi
	vrndscaleps	$8, %zmm3, %zmm3
	vcvttps2dq	%zmm3, %zmm4
	vaddps	%zmm3, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3436
	testb	$4, %al
	jne	.L4032
	testl	%eax, %eax
	je	.L3442
	movzbl	(%rdx), %ecx
	movb	%cl, (%rsi)
	testb	$2, %al
	je	.L3442
	movl	%eax, %eax
	movzwl	-2(%rdx,%rax), %ecx
	movw	%cx, -2(%rsi,%rax)
	jmp	.L3442
	.p2align 4,,10
	.p2align 3
.L4014:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	192(%rsp), %r8
	leaq	192(%r15), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%r8, %r11
	movq	%rdi, %rcx
	vmovdqa	%ymm2, 192(%rsp)
	cmpl	$8, %esi
	jnb	.L4033
.L3200:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3203
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3203:
	andl	$2, %esi
	je	.L3205
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3205:
	vcvtph2ps	192(%rsp), %zmm2
	vmulps	%zmm2, %zmm4, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm3
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm3, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3206
	testb	$4, %al
	jne	.L4034
	testl	%eax, %eax
	je	.L3212
	movzbl	192(%rsp), %ecx
	movb	%cl, (%r14)
	testb	$2, %al
	je	.L3212
	movl	%eax, %eax
	movzwl	-2(%r8,%rax), %ecx
	movw	%cx, -2(%r14,%rax)
	jmp	.L3212
	.p2align 4,,10
	.p2align 3
.L3996:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	192(%rsp), %r8
	leaq	192(%r10), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%r8, %r11
	movq	%rdi, %rcx
	vmovdqa	%ymm2, 192(%rsp)
	cmpl	$8, %esi
	jnb	.L4035
.L3322:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3325
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3325:
	andl	$2, %esi
	je	.L3327
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3327:
	vpmovzxwd	192(%rsp), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm4
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3328
	testb	$4, %al
	jne	.L4036
	testl	%eax, %eax
	je	.L3334
	movzbl	192(%rsp), %ecx
	movb	%cl, (%r14)
	testb	$2, %al
	je	.L3334
	movl	%eax, %eax
	movzwl	-2(%r8,%rax), %ecx
	movw	%cx, -2(%r14,%rax)
	jmp	.L3334
	.p2align 4,,10
	.p2align 3
.L3978:
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	192(%rsp), %r8
	leaq	384(%r10), %rsi
	leaq	0(,%rax,4), %rdi
	movq	%r8, %r11
	movq	%rsi, %rcx
	vmovdqa64	%zmm3, 192(%rsp)
	cmpl	$8, %edi
	jnb	.L4037
.L3444:
	andl	$4, %edi
	je	.L3449
	movl	(%rcx), %ecx
	movl	%ecx, (%r11)
.L3449:
	vmulps	192(%rsp), %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vcvttps2dq	%zmm3, %zmm4
	vaddps	%zmm3, %zmm0, %zmm0
	vpmovdb	%zmm4, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3450
	testb	$4, %al
	jne	.L4038
	testl	%eax, %eax
	je	.L3456
	movzbl	192(%rsp), %ecx
	movb	%cl, (%r14)
	testb	$2, %al
	je	.L3456
	movl	%eax, %eax
	movzwl	-2(%r8,%rax), %ecx
	movw	%cx, -2(%r14,%rax)
	jmp	.L3456
	.p2align 4,,10
	.p2align 3
.L3213:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	192(%rsp), %r8
	leaq	224(%r15), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%r8, %r11
	movq	%rdi, %rcx
	vmovdqa	%ymm2, 192(%rsp)
	cmpl	$8, %esi
	jnb	.L4039
.L3215:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3218
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3218:
	andl	$2, %esi
	je	.L3220
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3220:
	vcvtph2ps	192(%rsp), %zmm2
	leaq	16(%r14), %rcx
	vmulps	%zmm2, %zmm4, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm3
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm3, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3221
	testb	$4, %al
	jne	.L4040
	testl	%eax, %eax
	je	.L3128
	movzbl	192(%rsp), %esi
	movb	%sil, (%rcx)
	testb	$2, %al
	je	.L3128
	movl	%eax, %eax
	movzwl	-2(%r8,%rax), %esi
	movw	%si, -2(%rcx,%rax)
	jmp	.L3128
	.p2align 4,,10
	.p2align 3
.L3335:
	vpxor	%xmm2, %xmm2, %xmm2
	leaq	192(%rsp), %r8
	leaq	224(%r10), %rdi
	leaq	(%rax,%rax), %rsi
	movq	%r8, %r11
	movq	%rdi, %rcx
	vmovdqa	%ymm2, 192(%rsp)
	cmpl	$8, %esi
	jnb	.L4041
.L3337:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3340
	movl	(%rcx), %edi
	movl	%edi, (%r11)
	movl	$4, %edi
.L3340:
	andl	$2, %esi
	je	.L3342
	movzwl	(%rcx,%rdi), %ecx
	movw	%cx, (%r11,%rdi)
.L3342:
	vpmovzxwd	192(%rsp), %zmm2
	leaq	16(%r14), %rcx
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm3, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vcvttps2dq	%zmm3, %zmm2
	vaddps	%zmm3, %zmm0, %zmm0
	vpmovdb	%zmm2, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3343
	testb	$4, %al
	jne	.L4042
	testl	%eax, %eax
	je	.L3250
	movzbl	192(%rsp), %esi
	movb	%sil, (%rcx)
	testb	$2, %al
	je	.L3250
	movl	%eax, %eax
	movzwl	-2(%r8,%rax), %esi
	movw	%si, -2(%rcx,%rax)
	jmp	.L3250
	.p2align 4,,10
	.p2align 3
.L3457:
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	192(%rsp), %r8
	leaq	448(%r10), %rsi
	leaq	0(,%rax,4), %rdi
	movq	%r8, %r11
	movq	%rsi, %rcx
	vmovdqa64	%zmm3, 192(%rsp)
	cmpl	$8, %edi
	jnb	.L4043
.L3459:
	andl	$4, %edi
	je	.L3464
	movl	(%rcx), %ecx
	movl	%ecx, (%r11)
.L3464:
	vmulps	192(%rsp), %zmm2, %zmm2
	leaq	16(%r14), %rcx
	vrndscaleps	$8, %zmm2, %zmm2
	vcvttps2dq	%zmm2, %zmm3
	vaddps	%zmm2, %zmm0, %zmm0
	vpmovdb	%zmm3, 192(%rsp)
	cmpl	$8, %eax
	jnb	.L3465
	testb	$4, %al
	jne	.L4044
	testl	%eax, %eax
	je	.L3372
	movzbl	192(%rsp), %esi
	movb	%sil, (%rcx)
	testb	$2, %al
	je	.L3372
	movl	%eax, %eax
	movzwl	-2(%r8,%rax), %esi
	movw	%si, -2(%rcx,%rax)
	jmp	.L3372
	.p2align 4,,10
	.p2align 3
.L3122:
	movq	(%rdx), %rcx
	movq	%rcx, (%rax)
	movl	%ebx, %ecx
	movq	-8(%rdx,%rcx), %rsi
	movq	%rsi, -8(%rax,%rcx)
	leaq	8(%rax), %rcx
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rax
	subq	%rax, %rsi
	addl	%ebx, %eax
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3128
	andl	$-8, %eax
	xorl	%edi, %edi
.L3126:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r10
	movq	%r10, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3126
	jmp	.L3128
.L3244:
	movq	(%rdx), %rcx
	movq	%rcx, (%rax)
	movl	%ebx, %ecx
	movq	-8(%rdx,%rcx), %rsi
	movq	%rsi, -8(%rax,%rcx)
	leaq	8(%rax), %rcx
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rax
	subq	%rax, %rsi
	addl	%ebx, %eax
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3250
	andl	$-8, %eax
	xorl	%edi, %edi
.L3248:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3248
	jmp	.L3250
.L3366:
	movq	(%rdx), %rcx
	movq	%rcx, (%rax)
	movl	%ebx, %ecx
	movq	-8(%rdx,%rcx), %rsi
	movq	%rsi, -8(%rax,%rcx)
	leaq	8(%rax), %rcx
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rax
	subq	%rax, %rsi
	addl	%ebx, %eax
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3372
	andl	$-8, %eax
	xorl	%edi, %edi
.L3370:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3370
	jmp	.L3372
.L4015:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3117:
	movl	%ecx, %edi
	addl	$8, %ecx
	movq	(%r15,%rdi), %r8
	movq	%r8, (%rdx,%rdi)
	cmpl	%r11d, %ecx
	jb	.L3117
	leaq	(%rdx,%rcx), %r11
	addq	%r15, %rcx
	jmp	.L3116
.L3997:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3239:
	movl	%ecx, %edi
	addl	$8, %ecx
	movq	(%r10,%rdi), %r8
	movq	%r8, (%rdx,%rdi)
	cmpl	%r11d, %ecx
	jb	.L3239
	leaq	(%rdx,%rcx), %r11
	addq	%r10, %rcx
	jmp	.L3238
.L3979:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3361:
	movl	%ecx, %edi
	addl	$8, %ecx
	movq	(%r10,%rdi), %r8
	movq	%r8, (%rdx,%rdi)
	cmpl	%r11d, %ecx
	jb	.L3361
	leaq	(%rdx,%rcx), %rdi
	addq	%r10, %rcx
	jmp	.L3360
.L3380:
	movq	(%rdx), %rcx
	movq	%rcx, -80(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-72(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3386
	andl	$-8, %eax
	xorl	%edi, %edi
.L3384:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3384
	jmp	.L3386
.L3258:
	movq	(%rdx), %rcx
	movq	%rcx, -80(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-72(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3264
	andl	$-8, %eax
	xorl	%edi, %edi
.L3262:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3262
	jmp	.L3264
.L3136:
	movq	(%rdx), %rcx
	movq	%rcx, -80(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-72(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3142
	andl	$-8, %eax
	xorl	%edi, %edi
.L3140:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r10
	movq	%r10, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3140
	jmp	.L3142
.L4001:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3253:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3253
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3252
.L4019:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3131:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3131
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3130
.L3983:
	movl	%edi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3375:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3375
	leaq	(%rdx,%rcx), %r11
	addq	%rsi, %rcx
	jmp	.L3374
.L3150:
	movq	(%rdx), %rcx
	movq	%rcx, -64(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-56(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3156
	andl	$-8, %eax
	xorl	%edi, %edi
.L3154:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r10
	movq	%r10, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3154
	jmp	.L3156
.L3394:
	movq	(%rdx), %rcx
	movq	%rcx, -64(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-56(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3400
	andl	$-8, %eax
	xorl	%edi, %edi
.L3398:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3398
	jmp	.L3400
.L3272:
	movq	(%rdx), %rcx
	movq	%rcx, -64(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-56(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3278
	andl	$-8, %eax
	xorl	%edi, %edi
.L3276:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3276
	jmp	.L3278
.L4003:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3267:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3267
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3266
.L4021:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3145:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3145
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3144
.L3985:
	movl	%edi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3389:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3389
	leaq	(%rdx,%rcx), %r11
	addq	%rsi, %rcx
	jmp	.L3388
.L3286:
	movq	(%rdx), %rcx
	movq	%rcx, -48(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-40(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3292
	andl	$-8, %eax
	xorl	%edi, %edi
.L3290:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3290
	jmp	.L3292
.L3408:
	movq	(%rdx), %rcx
	movq	%rcx, -48(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-40(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3414
	andl	$-8, %eax
	xorl	%edi, %edi
.L3412:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3412
	jmp	.L3414
.L3164:
	movq	(%rdx), %rcx
	movq	%rcx, -48(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-40(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3170
	andl	$-8, %eax
	xorl	%edi, %edi
.L3168:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r10
	movq	%r10, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3168
	jmp	.L3170
.L3987:
	movl	%edi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3403:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3403
	leaq	(%rdx,%rcx), %r11
	addq	%rsi, %rcx
	jmp	.L3402
.L4023:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3159:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3159
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3158
.L4005:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3281:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3281
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3280
.L3422:
	movq	(%rdx), %rcx
	movq	%rcx, -32(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-24(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3428
	andl	$-8, %eax
	xorl	%edi, %edi
.L3426:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3426
	jmp	.L3428
.L3178:
	movq	(%rdx), %rcx
	movq	%rcx, -32(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-24(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3184
	andl	$-8, %eax
	xorl	%edi, %edi
.L3182:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r10
	movq	%r10, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3182
	jmp	.L3184
.L3300:
	movq	(%rdx), %rcx
	movq	%rcx, -32(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-24(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3306
	andl	$-8, %eax
	xorl	%edi, %edi
.L3304:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3304
	jmp	.L3306
.L3989:
	movl	%edi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3417:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3417
	leaq	(%rdx,%rcx), %r11
	addq	%rsi, %rcx
	jmp	.L3416
.L4007:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3295:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3295
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3294
.L4025:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3173:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3173
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3172
.L3436:
	movq	(%rdx), %rcx
	movq	%rcx, -16(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-8(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3442
	andl	$-8, %eax
	xorl	%edi, %edi
.L3440:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3440
	jmp	.L3442
.L3314:
	movq	(%rdx), %rcx
	movq	%rcx, -16(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-8(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3320
	andl	$-8, %eax
	xorl	%edi, %edi
.L3318:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3318
	jmp	.L3320
.L3192:
	movq	(%rdx), %rcx
	movq	%rcx, -16(%r14)
	movl	%eax, %ecx
	movq	-8(%rdx,%rcx), %rdi
	movq	%rdi, -8(%rsi,%rcx)
	leaq	-8(%r14), %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rdi
	addl	%edi, %eax
	subq	%rdi, %rsi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3198
	andl	$-8, %eax
	xorl	%edi, %edi
.L3196:
	movl	%edi, %r8d
	addl	$8, %edi
	movq	(%rsi,%r8), %r10
	movq	%r10, (%rcx,%r8)
	cmpl	%eax, %edi
	jb	.L3196
	jmp	.L3198
.L4027:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3187:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3187
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3186
.L4031:
	movl	%edi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3431:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rsi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3431
	leaq	(%rdx,%rcx), %r11
	addq	%rsi, %rcx
	jmp	.L3430
.L4029:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3309:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rdx,%r8)
	cmpl	%r11d, %ecx
	jb	.L3309
	leaq	(%rdx,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3308
.L3328:
	movq	192(%rsp), %rcx
	movq	%r8, %rdi
	movq	%rcx, (%r14)
	movl	%eax, %ecx
	movq	-8(%r8,%rcx), %rsi
	movq	%rsi, -8(%r14,%rcx)
	leaq	8(%r14), %rcx
	movq	%r14, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rsi
	addl	%esi, %eax
	subq	%rsi, %rdi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3334
	andl	$-8, %eax
	xorl	%esi, %esi
.L3332:
	movl	%esi, %r8d
	addl	$8, %esi
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %esi
	jb	.L3332
	jmp	.L3334
.L3206:
	movq	192(%rsp), %rcx
	movq	%r8, %rdi
	movq	%rcx, (%r14)
	movl	%eax, %ecx
	movq	-8(%r8,%rcx), %rsi
	movq	%rsi, -8(%r14,%rcx)
	leaq	8(%r14), %rcx
	movq	%r14, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rsi
	addl	%esi, %eax
	subq	%rsi, %rdi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3212
	andl	$-8, %eax
	xorl	%esi, %esi
.L3210:
	movl	%esi, %r8d
	addl	$8, %esi
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rcx,%r8)
	cmpl	%eax, %esi
	jb	.L3210
	jmp	.L3212
.L3450:
	movq	192(%rsp), %rcx
	movq	%r8, %rdi
	movq	%rcx, (%r14)
	movl	%eax, %ecx
	movq	-8(%r8,%rcx), %rsi
	movq	%rsi, -8(%r14,%rcx)
	leaq	8(%r14), %rcx
	movq	%r14, %rsi
	andq	$-8, %rcx
	subq	%rcx, %rsi
	addl	%esi, %eax
	subq	%rsi, %rdi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3456
	andl	$-8, %eax
	xorl	%esi, %esi
.L3454:
	movl	%esi, %r8d
	addl	$8, %esi
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rcx,%r8)
	cmpl	%eax, %esi
	jb	.L3454
	jmp	.L3456
.L4037:
	movq	%rax, 168(%rsp)
	movl	%edi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3445:
	movl	%ecx, %r9d
	addl	$8, %ecx
	movq	(%rsi,%r9), %rax
	movq	%rax, (%r8,%r9)
	cmpl	%r11d, %ecx
	jb	.L3445
	leaq	(%r8,%rcx), %r11
	movq	168(%rsp), %rax
	addq	%rsi, %rcx
	jmp	.L3444
.L4035:
	movq	%rax, 168(%rsp)
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3323:
	movl	%ecx, %r9d
	addl	$8, %ecx
	movq	(%rdi,%r9), %rax
	movq	%rax, (%r8,%r9)
	cmpl	%r11d, %ecx
	jb	.L3323
	leaq	(%r8,%rcx), %r11
	movq	168(%rsp), %rax
	addq	%rdi, %rcx
	jmp	.L3322
.L4033:
	movq	%rax, 168(%rsp)
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3201:
	movl	%ecx, %r10d
	addl	$8, %ecx
	movq	(%rdi,%r10), %rax
	movq	%rax, (%r8,%r10)
	cmpl	%r11d, %ecx
	jb	.L3201
	leaq	(%r8,%rcx), %r11
	movq	168(%rsp), %rax
	addq	%rdi, %rcx
	jmp	.L3200
.L3343:
	movq	192(%rsp), %rsi
	movq	%rsi, 16(%r14)
	movl	%eax, %esi
	movq	-8(%r8,%rsi), %rdi
	movq	%rdi, -8(%rcx,%rsi)
	leaq	24(%r14), %rsi
	movq	%r8, %rdi
	andq	$-8, %rsi
	subq	%rsi, %rcx
	addl	%ecx, %eax
	subq	%rcx, %rdi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3250
	andl	$-8, %eax
	xorl	%ecx, %ecx
.L3347:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rsi,%r8)
	cmpl	%eax, %ecx
	jb	.L3347
	jmp	.L3250
.L3465:
	movq	192(%rsp), %rsi
	movq	%rsi, 16(%r14)
	movl	%eax, %esi
	movq	-8(%r8,%rsi), %rdi
	movq	%rdi, -8(%rcx,%rsi)
	leaq	24(%r14), %rsi
	movq	%r8, %rdi
	andq	$-8, %rsi
	subq	%rsi, %rcx
	addl	%ecx, %eax
	subq	%rcx, %rdi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3372
	andl	$-8, %eax
	xorl	%ecx, %ecx
.L3469:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r9
	movq	%r9, (%rsi,%r8)
	cmpl	%eax, %ecx
	jb	.L3469
	jmp	.L3372
.L3221:
	movq	192(%rsp), %rsi
	movq	%rsi, 16(%r14)
	movl	%eax, %esi
	movq	-8(%r8,%rsi), %rdi
	movq	%rdi, -8(%rcx,%rsi)
	leaq	24(%r14), %rsi
	movq	%r8, %rdi
	andq	$-8, %rsi
	subq	%rsi, %rcx
	addl	%ecx, %eax
	subq	%rcx, %rdi
	andl	$-8, %eax
	cmpl	$8, %eax
	jb	.L3128
	andl	$-8, %eax
	xorl	%ecx, %ecx
.L3225:
	movl	%ecx, %r8d
	addl	$8, %ecx
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rsi,%r8)
	cmpl	%eax, %ecx
	jb	.L3225
	jmp	.L3128
.L4043:
	movl	%edi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3460:
	movl	%ecx, %r9d
	addl	$8, %ecx
	movq	(%rsi,%r9), %rbx
	movq	%rbx, (%r8,%r9)
	cmpl	%r11d, %ecx
	jb	.L3460
	leaq	(%r8,%rcx), %r11
	addq	%rsi, %rcx
	jmp	.L3459
.L4041:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3338:
	movl	%ecx, %r9d
	addl	$8, %ecx
	movq	(%rdi,%r9), %rbx
	movq	%rbx, (%r8,%r9)
	cmpl	%r11d, %ecx
	jb	.L3338
	leaq	(%r8,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3337
.L4039:
	movl	%esi, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L3216:
	movl	%ecx, %r10d
	addl	$8, %ecx
	movq	(%rdi,%r10), %rbx
	movq	%rbx, (%r8,%r10)
	cmpl	%r11d, %ecx
	jb	.L3216
	leaq	(%r8,%rcx), %r11
	addq	%rdi, %rcx
	jmp	.L3215
.L3090:
	cmpl	$5, %ecx
	je	.L3589
.L3589:
	cmpq	$31, 176(%rsp)
	jg	.L3496
	jmp	.L3555
.L3965:
	cmpq	$0, 176(%rsp)
	jle	.L3555
	movq	256(%rsp), %r11
	movq	264(%rsp), %r14
	xorl	%edx, %edx
	movq	272(%rsp), %r13
	movq	280(%rsp), %r12
	vmovq	288(%rsp), %xmm18
	vmovq	296(%rsp), %xmm19
	vmovq	304(%rsp), %xmm20
	vmovq	312(%rsp), %xmm21
	vmovq	320(%rsp), %xmm22
	vmovq	328(%rsp), %xmm23
	vmovq	336(%rsp), %xmm24
	vmovq	344(%rsp), %xmm25
	vmovq	352(%rsp), %xmm28
	vmovq	360(%rsp), %xmm29
	vmovq	368(%rsp), %xmm30
	jmp	.L3547
	.p2align 4,,10
	.p2align 3
.L4017:
	movl	%ebx, %ebx
	movl	$0, (%rax)
	movl	$0, -4(%rax,%rbx)
	jmp	.L3109
.L3981:
	movl	%ebx, %ebx
	movl	$0, (%rax)
	movl	$0, -4(%rax,%rbx)
	jmp	.L3353
.L3999:
	movl	%ebx, %ebx
	movl	$0, (%rax)
	movl	$0, -4(%rax,%rbx)
	jmp	.L3231
.L3475:
	movq	64(%r15), %r9
	movq	144(%rsp), %rcx
	movq	%rbx, 168(%rsp)
	vpxor	%xmm1, %xmm1, %xmm1
	movq	24(%rsp), %r8
	leaq	126(%rcx), %rax
	addq	$63, %rcx
	movq	%r9, %rbx
	cmovns	%rcx, %rax
	movq	%rax, %rcx
	andq	$-64, %rax
	sarq	$6, %rcx
	movq	%rax, 184(%rsp)
	movq	%rcx, 152(%rsp)
	xorl	%ecx, %ecx
	movq	%rcx, %r13
	movq	%r12, %rcx
	movq	%r8, %r12
	movq	(%rcx,%r13,8), %rdx
	testq	%rbx, %rbx
	jle	.L3598
.L4046:
	movq	%r12, %rsi
	movq	%rbx, %r14
	leaq	192(%rsp), %rdi
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L3520:
	subq	%rax, %r14
	cmpq	$15, %r14
	jle	.L3506
	vpmovzxwd	(%rdx), %zmm0
	addq	$16, %rax
	addq	$32, %rdx
	addq	$64, %rsi
	vpslld	$16, %zmm0, %zmm0
	vmovups	%zmm0, -64(%rsi)
	movq	64(%r15), %r14
	cmpq	%r14, %rax
	jl	.L3520
.L3505:
	cmpq	%r14, 176(%rsp)
	jle	.L3528
	movq	176(%rsp), %rdx
	movq	%rcx, 160(%rsp)
	xorl	%esi, %esi
	leaq	(%r12,%r14,4), %rdi
	subq	%r14, %rdx
	salq	$2, %rdx
	vzeroupper
	call	memset@PLT
	movq	160(%rsp), %rcx
	vpxor	%xmm1, %xmm1, %xmm1
.L3528:
	movq	%r12, (%rcx,%r13,8)
	addq	$1, %r13
	cmpq	%r13, 168(%rsp)
	je	.L3958
	movq	184(%rsp), %rax
	addq	%rax, %r12
	testq	%rbx, %rbx
	jle	.L4045
	movq	%r14, %rbx
	movq	(%rcx,%r13,8), %rdx
	testq	%rbx, %rbx
	jg	.L4046
.L3598:
	movq	%rbx, %r14
	jmp	.L3505
	.p2align 4,,10
	.p2align 3
.L3506:
	leaq	(%r14,%r14), %r9
	movq	%rdi, %r11
	movq	%rdx, %r8
	vmovdqa	%ymm1, 192(%rsp)
	cmpl	$8, %r9d
	jnb	.L4047
.L3508:
	xorl	%r10d, %r10d
	testb	$4, %r9b
	je	.L3511
	movl	(%r8), %r10d
	movl	%r10d, (%r11)
	movl	$4, %r10d
.L3511:
	andl	$2, %r9d
	je	.L3513
	movzwl	(%r8,%r10), %r8d
	movw	%r8w, (%r11,%r10)
.L3513:
	vpmovzxwd	192(%rsp), %zmm0
	salq	$2, %r14
	vpslld	$16, %zmm0, %zmm0
	vmovdqa32	%zmm0, 192(%rsp)
	cmpl	$8, %r14d
	jnb	.L3514
	testb	$4, %r14b
	jne	.L4048
	testl	%r14d, %r14d
	je	.L3515
	movzbl	(%rdi), %r8d
	movb	%r8b, (%rsi)
.L3515:
	movq	64(%r15), %r14
	addq	$16, %rax
	addq	$32, %rdx
	addq	$64, %rsi
	cmpq	%rax, %r14
	jg	.L3520
	jmp	.L3505
.L3514:
	movq	(%rdi), %r8
	leaq	8(%rsi), %r10
	movq	%rdi, %r11
	andq	$-8, %r10
	movq	%r8, (%rsi)
	movl	%r14d, %r8d
	movq	-8(%rdi,%r8), %r9
	movq	%r9, -8(%rsi,%r8)
	movq	%rsi, %r8
	subq	%r10, %r8
	subq	%r8, %r11
	addl	%r14d, %r8d
	andl	$-8, %r8d
	cmpl	$8, %r8d
	jb	.L3515
	movq	%rax, 160(%rsp)
	andl	$-8, %r8d
	xorl	%r9d, %r9d
.L3518:
	movl	%r9d, %r14d
	addl	$8, %r9d
	movq	(%r11,%r14), %rax
	movq	%rax, (%r10,%r14)
	cmpl	%r8d, %r9d
	jb	.L3518
	movq	160(%rsp), %rax
	jmp	.L3515
.L4047:
	movq	%rax, 160(%rsp)
	movl	%r9d, %r11d
	xorl	%r8d, %r8d
	andl	$-8, %r11d
.L3509:
	movl	%r8d, %r10d
	addl	$8, %r8d
	movq	(%rdx,%r10), %rax
	movq	%rax, (%rdi,%r10)
	cmpl	%r11d, %r8d
	jb	.L3509
	leaq	(%rdi,%r8), %r11
	movq	160(%rsp), %rax
	addq	%rdx, %r8
	jmp	.L3508
.L3474:
	movq	64(%r15), %r9
	movq	144(%rsp), %rdi
	movq	%rbx, 168(%rsp)
	vpxor	%xmm1, %xmm1, %xmm1
	movq	24(%rsp), %r8
	leaq	126(%rdi), %rax
	addq	$63, %rdi
	movq	%r9, %rbx
	cmovns	%rdi, %rax
	movq	%rax, %rcx
	andq	$-64, %rax
	sarq	$6, %rcx
	movq	%rax, 184(%rsp)
	movq	%rcx, 152(%rsp)
	xorl	%ecx, %ecx
	movq	%rcx, %r13
	movq	%r12, %rcx
	movq	%r8, %r12
	movq	(%rcx,%r13,8), %rdx
	testq	%rbx, %rbx
	jle	.L3596
.L4050:
	movq	%r12, %rsi
	movq	%rbx, %r14
	leaq	192(%rsp), %rdi
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L3492:
	subq	%rax, %r14
	cmpq	$15, %r14
	jle	.L3478
	vcvtph2ps	(%rdx), %zmm0
	addq	$16, %rax
	addq	$32, %rdx
	addq	$64, %rsi
	vmovups	%zmm0, -64(%rsi)
	movq	64(%r15), %r14
	cmpq	%r14, %rax
	jl	.L3492
.L3477:
	cmpq	%r14, 176(%rsp)
	jle	.L3504
	movq	176(%rsp), %rdx
	movq	%rcx, 160(%rsp)
	xorl	%esi, %esi
	leaq	(%r12,%r14,4), %rdi
	subq	%r14, %rdx
	salq	$2, %rdx
	vzeroupper
	call	memset@PLT
	movq	160(%rsp), %rcx
	vpxor	%xmm1, %xmm1, %xmm1
.L3504:
	movq	%r12, (%rcx,%r13,8)
	addq	$1, %r13
	cmpq	%r13, 168(%rsp)
	je	.L3958
	movq	184(%rsp), %rax
	addq	%rax, %r12
	testq	%rbx, %rbx
	jle	.L4049
	movq	%r14, %rbx
	movq	(%rcx,%r13,8), %rdx
	testq	%rbx, %rbx
	jg	.L4050
.L3596:
	movq	%rbx, %r14
	jmp	.L3477
	.p2align 4,,10
	.p2align 3
.L3478:
	leaq	(%r14,%r14), %r9
	movq	%rdi, %r11
	movq	%rdx, %r8
	vmovdqa	%ymm1, 192(%rsp)
	cmpl	$8, %r9d
	jnb	.L4051
.L3480:
	xorl	%r10d, %r10d
	testb	$4, %r9b
	je	.L3483
	movl	(%r8), %r10d
	movl	%r10d, (%r11)
	movl	$4, %r10d
.L3483:
	andl	$2, %r9d
	je	.L3485
	movzwl	(%r8,%r10), %r8d
	movw	%r8w, (%r11,%r10)
.L3485:
	vcvtph2ps	192(%rsp), %zmm0
	salq	$2, %r14
	vmovaps	%zmm0, 192(%rsp)
	cmpl	$8, %r14d
	jnb	.L3486
	testb	$4, %r14b
	jne	.L4052
	testl	%r14d, %r14d
	je	.L3487
	movzbl	(%rdi), %r8d
	movb	%r8b, (%rsi)
.L3487:
	movq	64(%r15), %r14
	addq	$16, %rax
	addq	$32, %rdx
	addq	$64, %rsi
	cmpq	%rax, %r14
	jg	.L3492
	jmp	.L3477
.L3486:
	movq	(%rdi), %r8
	leaq	8(%rsi), %r10
	movq	%rdi, %r11
	andq	$-8, %r10
	movq	%r8, (%rsi)
	movl	%r14d, %r8d
	movq	-8(%rdi,%r8), %r9
	movq	%r9, -8(%rsi,%r8)
	movq	%rsi, %r8
	subq	%r10, %r8
	subq	%r8, %r11
	addl	%r14d, %r8d
	andl	$-8, %r8d
	cmpl	$8, %r8d
	jb	.L3487
	movq	%rax, 160(%rsp)
	andl	$-8, %r8d
	xorl	%r9d, %r9d
.L3490:
	movl	%r9d, %r14d
	addl	$8, %r9d
	movq	(%r11,%r14), %rax
	movq	%rax, (%r10,%r14)
	cmpl	%r8d, %r9d
	jb	.L3490
	movq	160(%rsp), %rax
	jmp	.L3487
.L4051:
	movq	%rax, 160(%rsp)
	movl	%r9d, %r11d
	xorl	%r8d, %r8d
	andl	$-8, %r11d
.L3481:
	movl	%r8d, %r10d
	addl	$8, %r8d
	movq	(%rdx,%r10), %rax
	movq	%rax, (%rdi,%r10)
	cmpl	%r11d, %r8d
	jb	.L3481
	leaq	(%rdi,%r8), %r11
	movq	160(%rsp), %rax
	addq	%rdx, %r8
	jmp	.L3480
.L4052:
	movl	(%rdi), %r8d
	movl	%r14d, %r14d
	movl	%r8d, (%rsi)
	movl	-4(%rdi,%r14), %r8d
	movl	%r8d, -4(%rsi,%r14)
	jmp	.L3487
.L4048:
	movl	(%rdi), %r8d
	movl	%r14d, %r14d
	movl	%r8d, (%rsi)
	movl	-4(%rdi,%r14), %r8d
	movl	%r8d, -4(%rsi,%r14)
	jmp	.L3515
.L3971:
	movl	(%r8), %eax
	movl	%r14d, %r14d
	movl	%eax, (%rdi)
	movl	-4(%r8,%r14), %eax
	movl	%eax, -4(%rdi,%r14)
	jmp	.L3539
.L4022:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3156
.L4020:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3142
.L4018:
	movl	%ebx, %ebx
	xorl	%edi, %edi
	movw	%di, -2(%rax,%rbx)
	jmp	.L3109
.L4004:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3278
.L4002:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3264
.L4000:
	movl	%ebx, %ebx
	xorl	%esi, %esi
	movw	%si, -2(%rax,%rbx)
	jmp	.L3231
.L3984:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3386
.L3986:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3400
.L4016:
	movl	(%rdx), %ecx
	movl	%ebx, %ebx
	movl	%ecx, (%rax)
	movl	-4(%rdx,%rbx), %ecx
	movl	%ecx, -4(%rax,%rbx)
	jmp	.L3128
.L3998:
	movl	(%rdx), %ecx
	movl	%ebx, %ebx
	movl	%ecx, (%rax)
	movl	-4(%rdx,%rbx), %ecx
	movl	%ecx, -4(%rax,%rbx)
	jmp	.L3250
.L3982:
	movl	%ebx, %ebx
	xorl	%ecx, %ecx
	movw	%cx, -2(%rax,%rbx)
	jmp	.L3353
.L3980:
	movl	(%rdx), %ecx
	movl	%ebx, %ebx
	movl	%ecx, (%rax)
	movl	-4(%rdx,%rbx), %ecx
	movl	%ecx, -4(%rax,%rbx)
	jmp	.L3372
.L3962:
	leaq	62(%rdi), %rdx
	addq	$31, %rdi
	cmovns	%rdi, %rdx
	sarq	$5, %rdx
	imulq	%rbx, %rdx
	leaq	63(,%rdx,8), %rdi
	movq	%rdi, %rsi
	sarq	$63, %rsi
	shrq	$58, %rsi
	leaq	(%rdi,%rsi), %rdx
	andl	$63, %edx
	subq	%rsi, %rdx
	subq	%rdx, %rdi
	movq	%rdi, 48(%rsp)
	jmp	.L3088
.L4026:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3184
.L4024:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3170
.L3990:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3428
.L3988:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3414
.L4008:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3306
.L4006:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3292
.L4030:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3320
.L4036:
	movl	192(%rsp), %ecx
	movl	%eax, %eax
	movl	%ecx, (%r14)
	movl	-4(%r8,%rax), %ecx
	movl	%ecx, -4(%r14,%rax)
	jmp	.L3334
.L4038:
	movl	192(%rsp), %ecx
	movl	%eax, %eax
	movl	%ecx, (%r14)
	movl	-4(%r8,%rax), %ecx
	movl	%ecx, -4(%r14,%rax)
	jmp	.L3456
.L4032:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3442
.L4034:
	movl	192(%rsp), %ecx
	movl	%eax, %eax
	movl	%ecx, (%r14)
	movl	-4(%r8,%rax), %ecx
	movl	%ecx, -4(%r14,%rax)
	jmp	.L3212
.L4028:
	movl	(%rdx), %ecx
	movl	%eax, %eax
	movl	%ecx, (%rsi)
	movl	-4(%rdx,%rax), %ecx
	movl	%ecx, -4(%rsi,%rax)
	jmp	.L3198
.L4045:
	movq	152(%rsp), %r8
	movq	24(%rsp), %rax
	movq	%rcx, %r12
	movq	%r13, %rcx
	movq	168(%rsp), %rbx
	imulq	%r13, %r8
	salq	$6, %r8
	leaq	(%rax,%r8), %r13
	movq	176(%rsp), %rax
	subq	%r14, %rax
	salq	$2, %rax
	movq	%rax, 160(%rsp)
	leaq	0(,%r14,4), %rax
	movq	%rax, 152(%rsp)
	movq	%r14, %rax
	movq	%rbx, %r14
	movq	%rcx, %rbx
	movq	%rax, %rcx
.L3527:
	cmpq	%rcx, 176(%rsp)
	jle	.L3524
	movq	%rcx, 168(%rsp)
	movq	152(%rsp), %rax
	xorl	%esi, %esi
	movq	160(%rsp), %rdx
	leaq	(%rax,%r13), %rdi
	vzeroupper
	call	memset@PLT
	movq	184(%rsp), %rax
	movq	%r13, (%r12,%rbx,8)
	addq	$1, %rbx
	movq	168(%rsp), %rcx
	addq	%rax, %r13
	cmpq	%rbx, %r14
	jg	.L3527
.L3956:
	movq	%r14, %rbx
	jmp	.L3473
.L3524:
	movq	184(%rsp), %rax
	movq	%r13, (%r12,%rbx,8)
	addq	$1, %rbx
	addq	%rax, %r13
	cmpq	%rbx, %r14
	jg	.L3527
	movq	%r14, %rbx
	jmp	.L3473
.L4040:
	movl	192(%rsp), %esi
	movl	%eax, %eax
	movl	%esi, (%rcx)
	movl	-4(%r8,%rax), %esi
	movl	%esi, -4(%rcx,%rax)
	jmp	.L3128
.L4044:
	movl	192(%rsp), %esi
	movl	%eax, %eax
	movl	%esi, (%rcx)
	movl	-4(%r8,%rax), %esi
	movl	%esi, -4(%rcx,%rax)
	jmp	.L3372
.L3968:
	movq	152(%rsp), %r8
	movq	24(%rsp), %rax
	movq	%rcx, %r12
	movq	%r13, %rcx
	movq	168(%rsp), %rbx
	imulq	%r13, %r8
	salq	$6, %r8
	leaq	(%rax,%r8), %r13
	movq	176(%rsp), %rax
	subq	%r14, %rax
	salq	$2, %rax
	movq	%rax, 152(%rsp)
	leaq	0(,%r14,4), %rax
	movq	%rax, 160(%rsp)
	movq	%r14, %rax
	movq	%rbx, %r14
	movq	%rcx, %rbx
	movq	%rax, %rcx
.L3552:
	cmpq	%rcx, 176(%rsp)
	jle	.L3549
.L4053:
	movq	%rcx, 168(%rsp)
	movq	160(%rsp), %rax
	xorl	%esi, %esi
	movq	152(%rsp), %rdx
	leaq	(%rax,%r13), %rdi
	vzeroupper
	call	memset@PLT
	movq	184(%rsp), %rax
	movq	%r13, (%r12,%rbx,8)
	addq	$1, %rbx
	movq	168(%rsp), %rcx
	addq	%rax, %r13
	cmpq	%rbx, %r14
	jle	.L3956
	cmpq	%rcx, 176(%rsp)
	jg	.L4053
.L3549:
	movq	184(%rsp), %rax
	movq	%r13, (%r12,%rbx,8)
	addq	$1, %rbx
	addq	%rax, %r13
	cmpq	%rbx, %r14
	jg	.L3552
	movq	%r14, %rbx
	jmp	.L3473
.L4042:
	movl	192(%rsp), %esi
	movl	%eax, %eax
	movl	%esi, (%rcx)
	movl	-4(%r8,%rax), %esi
	movl	%esi, -4(%rcx,%rax)
	jmp	.L3250
.L4049:
	movq	152(%rsp), %r8
	movq	24(%rsp), %rax
	movq	%rcx, %r12
	movq	%r13, %rcx
	movq	168(%rsp), %rbx
	imulq	%r13, %r8
	salq	$6, %r8
	leaq	(%rax,%r8), %r13
	movq	176(%rsp), %rax
	subq	%r14, %rax
	salq	$2, %rax
	movq	%rax, 160(%rsp)
	leaq	0(,%r14,4), %rax
	movq	%rax, 152(%rsp)
	movq	%r14, %rax
	movq	%rbx, %r14
	movq	%rcx, %rbx
	movq	%rax, %rcx
.L3503:
	cmpq	%rcx, 176(%rsp)
	jle	.L3500
.L4054:
	movq	%rcx, 168(%rsp)
	movq	152(%rsp), %rax
	xorl	%esi, %esi
	movq	160(%rsp), %rdx
	leaq	(%rax,%r13), %rdi
	vzeroupper
	call	memset@PLT
	movq	184(%rsp), %rax
	movq	%r13, (%r12,%rbx,8)
	addq	$1, %rbx
	movq	168(%rsp), %rcx
	addq	%rax, %r13
	cmpq	%rbx, %r14
	jle	.L3956
	cmpq	%rcx, 176(%rsp)
	jg	.L4054
.L3500:
	movq	184(%rsp), %rax
	movq	%r13, (%r12,%rbx,8)
	addq	$1, %rbx
	addq	%rax, %r13
	cmpq	%rbx, %r14
	jg	.L3503
	movq	%r14, %rbx
	jmp	.L3473
	.cfi_endproc
.LFE6962:
	.size	_ZN10torchpaged12_GLOBAL__N_116load_linear_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEiiPcSC_, .-_ZN10torchpaged12_GLOBAL__N_116load_linear_rowsINS0_8FloatDotINS0_15PairsOfBFloat16EEENS0_10IntegerDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEiiPcSC_
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_123attention_scratch_bytesINS0_11FloatEngineEEEmRKNS_15AttentionParamsE, @function
_ZN10torchpaged12_GLOBAL__N_123attention_scratch_bytesINS0_11FloatEngineEEEmRKNS_15AttentionParamsE:
.LFB6948:
	.cfi_startproc
	movslq	264(%rdi), %rsi
	movslq	260(%rdi), %rcx
	movq	%rsi, %rdx
	leaq	30(%rsi), %rax
	addq	$15, %rdx
	cmovns	%rdx, %rax
	sarq	$4, %rax
	leaq	(%rax,%rax,2), %rdx
	salq	$11, %rdx
	leaq	63(%rdx), %r8
	sarq	$63, %rdx
	shrq	$58, %rdx
	movq	%r8, %r9
	leaq	(%r8,%rdx), %rdi
	andl	$63, %edi
	subq	%rdx, %rdi
	leaq	(%rcx,%rcx,2), %rdx
	salq	$7, %rdx
	subq	%rdi, %r9
	leaq	63(%rdx), %r8
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%r8,%rdx), %rdi
	andl	$63, %edi
	subq	%rdx, %rdi
	subq	%rdi, %r8
	cmpq	%rcx, %rsi
	cmovl	%rcx, %rsi
	leaq	20160(%r8,%r9,2), %rdx
	leaq	63(,%rsi,4), %rsi
	movq	%rsi, %r8
	sarq	$63, %r8
	shrq	$58, %r8
	leaq	(%rsi,%r8), %rdi
	andl	$63, %edi
	subq	%r8, %rdi
	subq	%rdi, %rsi
	addq	%rdx, %rsi
	leaq	30(%rcx), %rdx
	addq	$15, %rcx
	cmovns	%rcx, %rdx
	salq	$12, %rax
	sarq	$4, %rdx
	salq	$12, %rdx
	leaq	63(%rdx), %rdi
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%rdi,%rdx), %rcx
	andl	$63, %ecx
	subq	%rdx, %rcx
	subq	%rcx, %rdi
	leaq	(%rsi,%rdi), %rdx
	leaq	63(%rax), %rsi
	sarq	$63, %rax
	shrq	$58, %rax
	leaq	(%rsi,%rax), %rcx
	andl	$63, %ecx
	subq	%rax, %rcx
	subq	%rcx, %rsi
	leaq	(%rdx,%rsi,2), %rax
	ret
	.cfi_endproc
.LFE6948:
	.size	_ZN10torchpaged12_GLOBAL__N_123attention_scratch_bytesINS0_11FloatEngineEEEmRKNS_15AttentionParamsE, .-_ZN10torchpaged12_GLOBAL__N_123attention_scratch_bytesINS0_11FloatEngineEEEmRKNS_15AttentionParamsE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_13SingleWeightsINS0_7Float16EEEEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, @function
_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_13SingleWeightsINS0_7Float16EEEEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc:
.LFB7051:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	movq	%rcx, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%r9, %rbx
	andq	$-64, %rsp
	subq	$512, %rsp
	cmpl	$5, 12(%rdi)
	movq	8(%rsi), %rcx
	movq	%rdx, 112(%rsp)
	movq	%r8, 104(%rsp)
	movq	$0, 128(%rsp)
	jne	.L4057
	movq	80(%rdi), %rdx
	leaq	62(%rdx), %rax
	addq	$31, %rdx
	cmovns	%rdx, %rax
	sarq	$5, %rax
	imulq	%rcx, %rax
	leaq	63(,%rax,8), %rcx
	movq	%rcx, %rdx
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%rcx,%rdx), %rax
	andl	$63, %eax
	subq	%rdx, %rax
	subq	%rax, %rcx
	movq	%rcx, 128(%rsp)
.L4057:
	movq	104(%rsp), %rax
	vxorps	%xmm2, %xmm2, %xmm2
	cmpq	%rax, %r12
	jge	.L4405
	movq	%rdi, %r11
	movq	%rsi, %r10
	movq	%r12, %r15
	movq	%rbx, %r13
.L4058:
	movq	80(%r11), %r14
	testq	%r14, %r14
	jle	.L4060
	movq	%r10, 120(%rsp)
	movl	16(%r10), %r12d
	movq	%r15, %rbx
	movq	$0, 144(%rsp)
.L4231:
	movq	144(%rsp), %rsi
	movq	%r14, %rdi
	movl	$512, %eax
	movq	48(%r11), %r8
	subq	%rsi, %rdi
	cmpq	%rax, %rdi
	cmovg	%rax, %rdi
	movq	%r14, %rax
	imulq	%rbx, %rax
	addq	%rsi, %rax
	salq	$6, %rax
	addq	%rax, %r8
	testl	%r12d, %r12d
	jle	.L4372
	testq	%rsi, %rsi
	leaq	4096(%r8), %rax
	movq	%r11, %r10
	movq	%rbx, 80(%rsp)
	sete	%r15b
	movq	%rax, 152(%rsp)
	movq	120(%rsp), %r11
	xorl	%r9d, %r9d
	jmp	.L4230
.L4061:
	andl	$1, %esi
	cmpl	$1, %esi
	sbbq	%rdx, %rdx
	salq	$7, %rbx
	andq	$-64, %rdx
	subq	$-128, %rdx
	imulq	%rdi, %rdx
	leaq	(%r8,%rdx), %rsi
	movq	%rbx, %rdx
	addq	%r13, %rdx
	cmpq	$14, %rax
	je	.L4454
	cmpq	$13, %rax
	je	.L4455
	cmpq	$12, %rax
	je	.L4456
	cmpq	$11, %rax
	je	.L4457
	cmpq	$10, %rax
	je	.L4458
	cmpq	$9, %rax
	je	.L4459
	cmpq	$8, %rax
	je	.L4460
	cmpq	$7, %rax
	je	.L4461
	cmpq	$6, %rax
	je	.L4462
	cmpq	$5, %rax
	je	.L4463
	cmpq	$4, %rax
	je	.L4464
	cmpq	$3, %rax
	je	.L4465
	cmpq	$2, %rax
	je	.L4466
	cmpq	$1, %rax
	je	.L4467
.L4074:
	cmpl	%r9d, %r12d
	jle	.L4468
.L4230:
	movq	8(%r11), %rbx
	movslq	%r12d, %rcx
	movl	%r9d, %esi
	imulq	%r9, %rbx
	addq	$1, %r9
	movq	%rbx, %rax
	cqto
	idivq	%rcx
	movq	%rax, %rbx
	movq	8(%r11), %rax
	imulq	%r9, %rax
	cqto
	idivq	%rcx
	movq	144(%rsp), %rcx
	movq	%rbx, %rdx
	imulq	%r14, %rdx
	subq	%rbx, %rax
	imulq	%rax, %rcx
	addq	%rcx, %rdx
	movq	128(%rsp), %rcx
	leaq	(%rcx,%rdx,4), %rcx
	movq	112(%rsp), %rdx
	addq	%rdx, %rcx
	cmpl	$1, %r12d
	jne	.L4061
	cmpq	$14, %rax
	je	.L4469
	cmpq	$13, %rax
	je	.L4470
	cmpq	$12, %rax
	je	.L4471
	cmpq	$11, %rax
	je	.L4472
	cmpq	$10, %rax
	je	.L4473
	cmpq	$9, %rax
	je	.L4474
	cmpq	$8, %rax
	je	.L4475
	cmpq	$7, %rax
	je	.L4476
	cmpq	$6, %rax
	je	.L4477
	cmpq	$5, %rax
	je	.L4478
	cmpq	$4, %rax
	je	.L4479
	cmpq	$3, %rax
	je	.L4480
	cmpq	$2, %rax
	je	.L4481
	cmpq	$1, %rax
	jne	.L4074
	movq	152(%rsp), %rsi
	movl	%r15d, %r14d
	xorl	%eax, %eax
	vxorps	%xmm6, %xmm6, %xmm6
.L4145:
	movq	%rdi, %rdx
	movl	$128, %r12d
	vxorps	%xmm0, %xmm0, %xmm0
	subq	%rax, %rdx
	leaq	(%rcx,%rax,4), %rbx
	vmovaps	%zmm0, %zmm1
	cmpq	%r12, %rdx
	cmovg	%r12, %rdx
	addq	%rax, %rdx
	leaq	(%rcx,%rdx,4), %r12
	movq	%rsi, %rdx
.L4141:
	vpbroadcastd	(%rbx), %zmm3
	addq	$4, %rbx
	prefetcht0	(%rdx)
	vcvtph2ps	-4096(%rdx), %zmm5
	vcvtph2ps	-4064(%rdx), %zmm4
	addq	$64, %rdx
	vfmadd231ps	%zmm5, %zmm3, %zmm1
	vfmadd231ps	%zmm4, %zmm3, %zmm0
	cmpq	%rbx, %r12
	jne	.L4141
	testb	%r14b, %r14b
	je	.L4482
	vaddps	%zmm6, %zmm1, %zmm1
	vaddps	%zmm6, %zmm0, %zmm0
	vmovups	%zmm1, 0(%r13)
.L4419:
	subq	$-128, %rax
	vmovups	%zmm0, 64(%r13)
	addq	$8192, %rsi
	cmpq	%rax, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4145
.L4454:
	movq	%r9, 136(%rsp)
	xorl	%r14d, %r14d
	movq	%rcx, %r9
	movq	%r10, 96(%rsp)
	movl	%r15d, %r10d
.L4152:
	movq	%r14, %rcx
	movq	%rdi, %r12
	movl	$128, %eax
	movq	%rsi, %rbx
	salq	$6, %rcx
	subq	%r14, %r12
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rcx
	cmpq	%rax, %r12
	vmovaps	%zmm4, %zmm5
	cmovg	%rax, %r12
	vmovaps	%zmm4, %zmm6
	movq	%r9, %rax
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %r12
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	addq	%rsi, %r12
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm29
	vmovaps	%zmm4, %zmm30
	vmovaps	%zmm4, %zmm31
	.p2align 4,,10
	.p2align 3
.L4148:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm31
	addq	$64, %rcx
	addq	$56, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm30
	vpbroadcastd	-52(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	vfmadd231ps	%zmm0, %zmm3, %zmm28
	vpbroadcastd	-48(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L4148
	testb	%r10b, %r10b
	jne	.L4149
	vaddps	(%rdx), %zmm31, %zmm31
	vaddps	64(%rdx), %zmm30, %zmm30
	vaddps	128(%rdx), %zmm29, %zmm29
	vaddps	192(%rdx), %zmm28, %zmm28
	vaddps	256(%rdx), %zmm27, %zmm27
	vaddps	320(%rdx), %zmm26, %zmm26
	vaddps	384(%rdx), %zmm25, %zmm25
	vmovups	%zmm31, (%rdx)
	vaddps	448(%rdx), %zmm24, %zmm24
	vaddps	512(%rdx), %zmm23, %zmm23
	vaddps	576(%rdx), %zmm22, %zmm22
	vmovups	%zmm30, 64(%rdx)
	vaddps	640(%rdx), %zmm21, %zmm21
	vaddps	704(%rdx), %zmm20, %zmm20
	vmovups	%zmm29, 128(%rdx)
	vaddps	768(%rdx), %zmm19, %zmm19
	vaddps	832(%rdx), %zmm18, %zmm18
	vmovups	%zmm28, 192(%rdx)
	vaddps	896(%rdx), %zmm17, %zmm17
	vaddps	960(%rdx), %zmm16, %zmm16
	vmovups	%zmm27, 256(%rdx)
	vmovups	%zmm26, 320(%rdx)
	vmovups	%zmm25, 384(%rdx)
	vmovups	%zmm24, 448(%rdx)
	vmovups	%zmm23, 512(%rdx)
	vmovups	%zmm22, 576(%rdx)
	vmovups	%zmm21, 640(%rdx)
	vmovups	%zmm20, 704(%rdx)
	vmovups	%zmm19, 768(%rdx)
	vmovups	%zmm18, 832(%rdx)
	vmovups	%zmm17, 896(%rdx)
	vmovups	%zmm16, 960(%rdx)
	vaddps	1024(%rdx), %zmm15, %zmm15
	vaddps	1088(%rdx), %zmm14, %zmm14
	vaddps	1152(%rdx), %zmm13, %zmm13
	vaddps	1216(%rdx), %zmm12, %zmm12
	vaddps	1280(%rdx), %zmm11, %zmm11
	vaddps	1344(%rdx), %zmm10, %zmm10
	vaddps	1408(%rdx), %zmm9, %zmm9
	vaddps	1472(%rdx), %zmm8, %zmm8
	vmovups	%zmm15, 1024(%rdx)
	vaddps	1536(%rdx), %zmm7, %zmm7
	vaddps	1600(%rdx), %zmm6, %zmm6
	vmovups	%zmm14, 1088(%rdx)
	vaddps	1664(%rdx), %zmm5, %zmm5
	vaddps	1728(%rdx), %zmm4, %zmm4
	vmovups	%zmm13, 1152(%rdx)
	vmovups	%zmm12, 1216(%rdx)
	vmovups	%zmm11, 1280(%rdx)
	vmovups	%zmm10, 1344(%rdx)
	vmovups	%zmm9, 1408(%rdx)
	vmovups	%zmm8, 1472(%rdx)
	vmovups	%zmm7, 1536(%rdx)
	vmovups	%zmm6, 1600(%rdx)
	vmovups	%zmm5, 1664(%rdx)
.L4428:
	subq	$-128, %r14
	addq	$8192, %rsi
	vmovups	%zmm4, 1728(%rdx)
	addq	$7168, %r9
	cmpq	%r14, %rdi
	jle	.L4387
	xorl	%r10d, %r10d
	jmp	.L4152
.L4149:
	vaddps	%zmm2, %zmm31, %zmm31
	vaddps	%zmm2, %zmm30, %zmm30
	vaddps	%zmm2, %zmm29, %zmm29
	vaddps	%zmm2, %zmm28, %zmm28
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vmovups	%zmm31, (%rdx)
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vmovups	%zmm30, 64(%rdx)
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm29, 128(%rdx)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm28, 192(%rdx)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm27, 256(%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm26, 320(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm25, 384(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm24, 448(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm23, 512(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm22, 576(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm21, 640(%rdx)
	vmovups	%zmm20, 704(%rdx)
	vmovups	%zmm19, 768(%rdx)
	vmovups	%zmm18, 832(%rdx)
	vmovups	%zmm17, 896(%rdx)
	vmovups	%zmm16, 960(%rdx)
	vmovups	%zmm15, 1024(%rdx)
	vmovups	%zmm14, 1088(%rdx)
	vmovups	%zmm13, 1152(%rdx)
	vmovups	%zmm12, 1216(%rdx)
	vmovups	%zmm11, 1280(%rdx)
	vmovups	%zmm10, 1344(%rdx)
	vmovups	%zmm9, 1408(%rdx)
	vmovups	%zmm8, 1472(%rdx)
	vmovups	%zmm7, 1536(%rdx)
	vmovups	%zmm6, 1600(%rdx)
	vmovups	%zmm5, 1664(%rdx)
	jmp	.L4428
.L4455:
	movq	%r9, 136(%rsp)
	xorl	%r14d, %r14d
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%r13, 96(%rsp)
	movq	%rcx, %rdi
	movq	%r10, %r13
	movl	%r15d, %r10d
.L4158:
	movq	%r14, %rcx
	movq	%r8, %r12
	movl	$128, %eax
	movq	%rsi, %rbx
	salq	$6, %rcx
	subq	%r14, %r12
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rax, %r12
	vmovaps	%zmm4, %zmm5
	cmovg	%rax, %r12
	vmovaps	%zmm4, %zmm6
	movq	%rdi, %rax
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %r12
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	addq	%rsi, %r12
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm29
	.p2align 4,,10
	.p2align 3
.L4154:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	addq	$64, %rcx
	addq	$52, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm28
	vpbroadcastd	-48(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L4154
	testb	%r10b, %r10b
	jne	.L4155
	vaddps	(%rdx), %zmm29, %zmm29
	vaddps	64(%rdx), %zmm28, %zmm28
	vaddps	128(%rdx), %zmm27, %zmm27
	vaddps	192(%rdx), %zmm26, %zmm26
	vaddps	256(%rdx), %zmm25, %zmm25
	vaddps	320(%rdx), %zmm24, %zmm24
	vaddps	384(%rdx), %zmm23, %zmm23
	vmovups	%zmm29, (%rdx)
	vaddps	448(%rdx), %zmm22, %zmm22
	vaddps	512(%rdx), %zmm21, %zmm21
	vaddps	576(%rdx), %zmm20, %zmm20
	vmovups	%zmm28, 64(%rdx)
	vaddps	640(%rdx), %zmm19, %zmm19
	vaddps	704(%rdx), %zmm18, %zmm18
	vmovups	%zmm27, 128(%rdx)
	vaddps	768(%rdx), %zmm17, %zmm17
	vaddps	832(%rdx), %zmm16, %zmm16
	vmovups	%zmm26, 192(%rdx)
	vaddps	896(%rdx), %zmm15, %zmm15
	vaddps	960(%rdx), %zmm14, %zmm14
	vmovups	%zmm25, 256(%rdx)
	vmovups	%zmm24, 320(%rdx)
	vmovups	%zmm23, 384(%rdx)
	vmovups	%zmm22, 448(%rdx)
	vmovups	%zmm21, 512(%rdx)
	vmovups	%zmm20, 576(%rdx)
	vmovups	%zmm19, 640(%rdx)
	vmovups	%zmm18, 704(%rdx)
	vmovups	%zmm17, 768(%rdx)
	vmovups	%zmm16, 832(%rdx)
	vmovups	%zmm15, 896(%rdx)
	vmovups	%zmm14, 960(%rdx)
	vaddps	1024(%rdx), %zmm13, %zmm13
	vaddps	1088(%rdx), %zmm12, %zmm12
	vaddps	1152(%rdx), %zmm11, %zmm11
	vaddps	1216(%rdx), %zmm10, %zmm10
	vaddps	1280(%rdx), %zmm9, %zmm9
	vaddps	1344(%rdx), %zmm8, %zmm8
	vaddps	1408(%rdx), %zmm7, %zmm7
	vaddps	1472(%rdx), %zmm6, %zmm6
	vmovups	%zmm13, 1024(%rdx)
	vaddps	1536(%rdx), %zmm5, %zmm5
	vaddps	1600(%rdx), %zmm4, %zmm4
	vmovups	%zmm12, 1088(%rdx)
	vmovups	%zmm11, 1152(%rdx)
	vmovups	%zmm10, 1216(%rdx)
	vmovups	%zmm9, 1280(%rdx)
	vmovups	%zmm8, 1344(%rdx)
	vmovups	%zmm7, 1408(%rdx)
	vmovups	%zmm6, 1472(%rdx)
	vmovups	%zmm5, 1536(%rdx)
.L4430:
	subq	$-128, %r14
	addq	$8192, %rsi
	vmovups	%zmm4, 1600(%rdx)
	addq	$6656, %rdi
	cmpq	%r14, %r8
	jle	.L4388
	xorl	%r10d, %r10d
	jmp	.L4158
.L4155:
	vaddps	%zmm2, %zmm29, %zmm29
	vaddps	%zmm2, %zmm28, %zmm28
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vmovups	%zmm29, (%rdx)
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm28, 64(%rdx)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm27, 128(%rdx)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm26, 192(%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm25, 256(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm24, 320(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm23, 384(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm22, 448(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm21, 512(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm20, 576(%rdx)
	vmovups	%zmm19, 640(%rdx)
	vmovups	%zmm18, 704(%rdx)
	vmovups	%zmm17, 768(%rdx)
	vmovups	%zmm16, 832(%rdx)
	vmovups	%zmm15, 896(%rdx)
	vmovups	%zmm14, 960(%rdx)
	vmovups	%zmm13, 1024(%rdx)
	vmovups	%zmm12, 1088(%rdx)
	vmovups	%zmm11, 1152(%rdx)
	vmovups	%zmm10, 1216(%rdx)
	vmovups	%zmm9, 1280(%rdx)
	vmovups	%zmm8, 1344(%rdx)
	vmovups	%zmm7, 1408(%rdx)
	vmovups	%zmm6, 1472(%rdx)
	vmovups	%zmm5, 1536(%rdx)
	jmp	.L4430
.L4387:
	movq	136(%rsp), %r9
	movq	96(%rsp), %r10
.L4066:
	movl	16(%r11), %r12d
	movq	80(%r10), %r14
	cmpl	%r9d, %r12d
	jg	.L4230
.L4468:
	addq	$512, 144(%rsp)
	movq	144(%rsp), %rax
	movq	%r10, %r11
	movq	80(%rsp), %rbx
	cmpq	%r14, %rax
	jl	.L4231
.L4372:
	movq	120(%rsp), %r10
	movq	%rbx, %r15
.L4060:
	movq	72(%r11), %rsi
	movq	%r15, %rax
	movl	$32, %r14d
	movq	96(%r11), %r12
	salq	$5, %rax
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r11, 224(%rsp)
	subq	%rax, %rsi
	movq	%rax, 232(%rsp)
	vmovdqu8	%zmm0, 248(%rsp)
	cmpq	%r14, %rsi
	vmovdqu8	%zmm0, 312(%rsp)
	cmovle	%rsi, %r14
	vmovdqu8	%zmm0, 376(%rsp)
	movq	%r14, 240(%rsp)
	vmovdqu8	%zmm0, 440(%rsp)
	testq	%r12, %r12
	je	.L4288
	movl	104(%r11), %edx
	cmpl	$1, %edx
	je	.L4233
	cmpl	$2, %edx
	jne	.L4234
	xorl	%ecx, %ecx
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %rbx
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%rsi, %rsi
	jle	.L4423
	movq	%r14, %rsi
	jmp	.L4235
.L4246:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L4249
	movl	(%rax), %edi
	movl	%edi, (%r8)
	movl	$4, %edi
.L4249:
	andl	$2, %esi
	je	.L4251
	movzwl	(%rax,%rdi), %eax
	movw	%ax, (%r8,%rdi)
.L4251:
	vpmovzxwd	160(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovups	%zmm0, 24(%rbx,%rcx,4)
	movq	240(%rsp), %rsi
	addq	$16, %rcx
	cmpq	%rcx, %rsi
	jle	.L4421
	movq	224(%rsp), %rax
	movq	96(%rax), %r12
	movq	232(%rsp), %rax
.L4235:
	movl	$16, %edi
	subq	%rcx, %rsi
	movq	%rdx, %r8
	vmovdqa	%ymm1, 160(%rsp)
	cmpq	%rdi, %rsi
	cmovg	%rdi, %rsi
	addq	%rcx, %rax
	leaq	(%r12,%rax,2), %rdi
	addq	%rsi, %rsi
	movq	%rdi, %rax
	cmpl	$8, %esi
	jb	.L4246
	movl	%esi, %r9d
	xorl	%eax, %eax
	andl	$-8, %r9d
.L4247:
	movl	%eax, %r8d
	addl	$8, %eax
	movq	(%rdi,%r8), %r12
	movq	%r12, (%rdx,%r8)
	cmpl	%r9d, %eax
	jb	.L4247
	leaq	(%rdx,%rax), %r8
	addq	%rdi, %rax
	jmp	.L4246
.L4388:
	movq	%r8, %rdi
	movq	%r13, %r10
	movq	%r9, %r8
	movq	96(%rsp), %r13
	movq	136(%rsp), %r9
	jmp	.L4066
.L4457:
	movq	%rcx, 136(%rsp)
	movq	%r13, %rax
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rax, %rdi
	kmovb	%r15d, %k0
.L4170:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r12
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	.p2align 4,,10
	.p2align 3
.L4166:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	addq	$64, %rcx
	addq	$44, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L4166
	kortestb	%k0, %k0
	jne	.L4167
	vaddps	(%rdx), %zmm25, %zmm25
	vaddps	64(%rdx), %zmm24, %zmm24
	vaddps	128(%rdx), %zmm23, %zmm23
	vaddps	192(%rdx), %zmm22, %zmm22
	vaddps	256(%rdx), %zmm21, %zmm21
	vaddps	320(%rdx), %zmm20, %zmm20
	vaddps	384(%rdx), %zmm19, %zmm19
	vmovups	%zmm25, (%rdx)
	vaddps	448(%rdx), %zmm18, %zmm18
	vaddps	512(%rdx), %zmm17, %zmm17
	vaddps	576(%rdx), %zmm16, %zmm16
	vmovups	%zmm24, 64(%rdx)
	vaddps	640(%rdx), %zmm15, %zmm15
	vaddps	704(%rdx), %zmm14, %zmm14
	vmovups	%zmm23, 128(%rdx)
	vaddps	768(%rdx), %zmm13, %zmm13
	vaddps	832(%rdx), %zmm12, %zmm12
	vmovups	%zmm22, 192(%rdx)
	vaddps	896(%rdx), %zmm11, %zmm11
	vaddps	960(%rdx), %zmm10, %zmm10
	vmovups	%zmm21, 256(%rdx)
	vmovups	%zmm20, 320(%rdx)
	vmovups	%zmm19, 384(%rdx)
	vmovups	%zmm18, 448(%rdx)
	vmovups	%zmm17, 512(%rdx)
	vmovups	%zmm16, 576(%rdx)
	vmovups	%zmm15, 640(%rdx)
	vmovups	%zmm14, 704(%rdx)
	vmovups	%zmm13, 768(%rdx)
	vmovups	%zmm12, 832(%rdx)
	vmovups	%zmm11, 896(%rdx)
	vmovups	%zmm10, 960(%rdx)
	vaddps	1024(%rdx), %zmm9, %zmm9
	vaddps	1088(%rdx), %zmm8, %zmm8
	vaddps	1152(%rdx), %zmm7, %zmm7
	vaddps	1216(%rdx), %zmm6, %zmm6
	vaddps	1280(%rdx), %zmm5, %zmm5
	vaddps	1344(%rdx), %zmm4, %zmm4
	vmovups	%zmm9, 1024(%rdx)
	vmovups	%zmm8, 1088(%rdx)
	vmovups	%zmm7, 1152(%rdx)
	vmovups	%zmm6, 1216(%rdx)
	vmovups	%zmm5, 1280(%rdx)
.L4434:
	subq	$-128, %r14
	addq	$8192, %rsi
	addq	$5632, 136(%rsp)
	vmovups	%zmm4, 1344(%rdx)
	cmpq	%r14, %r8
	jle	.L4392
	kxorb	%k0, %k0, %k0
	jmp	.L4170
.L4167:
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm25, (%rdx)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm24, 64(%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm23, 128(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm22, 192(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm21, 256(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm20, 320(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm19, 384(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm18, 448(%rdx)
	vmovups	%zmm17, 512(%rdx)
	vmovups	%zmm16, 576(%rdx)
	vmovups	%zmm15, 640(%rdx)
	vmovups	%zmm14, 704(%rdx)
	vmovups	%zmm13, 768(%rdx)
	vmovups	%zmm12, 832(%rdx)
	vmovups	%zmm11, 896(%rdx)
	vmovups	%zmm10, 960(%rdx)
	vmovups	%zmm9, 1024(%rdx)
	vmovups	%zmm8, 1088(%rdx)
	vmovups	%zmm7, 1152(%rdx)
	vmovups	%zmm6, 1216(%rdx)
	vmovups	%zmm5, 1280(%rdx)
	jmp	.L4434
.L4392:
	movq	%rdi, %rax
	movq	%r8, %rdi
	movq	%r9, %r8
	movq	%r10, %r9
	movq	%r13, %r10
	movq	%rax, %r13
	jmp	.L4066
.L4456:
	movq	%rcx, 136(%rsp)
	movq	%r13, %rax
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rax, %rdi
	kmovb	%r15d, %k0
.L4164:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r12
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	.p2align 4,,10
	.p2align 3
.L4160:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	addq	$64, %rcx
	addq	$48, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rbx, %r12
	jne	.L4160
	kortestb	%k0, %k0
	jne	.L4161
	vaddps	(%rdx), %zmm27, %zmm27
	vaddps	64(%rdx), %zmm26, %zmm26
	vaddps	128(%rdx), %zmm25, %zmm25
	vaddps	192(%rdx), %zmm24, %zmm24
	vaddps	256(%rdx), %zmm23, %zmm23
	vaddps	320(%rdx), %zmm22, %zmm22
	vaddps	384(%rdx), %zmm21, %zmm21
	vmovups	%zmm27, (%rdx)
	vaddps	448(%rdx), %zmm20, %zmm20
	vaddps	512(%rdx), %zmm19, %zmm19
	vaddps	576(%rdx), %zmm18, %zmm18
	vmovups	%zmm26, 64(%rdx)
	vaddps	640(%rdx), %zmm17, %zmm17
	vaddps	704(%rdx), %zmm16, %zmm16
	vmovups	%zmm25, 128(%rdx)
	vaddps	768(%rdx), %zmm15, %zmm15
	vaddps	832(%rdx), %zmm14, %zmm14
	vmovups	%zmm24, 192(%rdx)
	vaddps	896(%rdx), %zmm13, %zmm13
	vaddps	960(%rdx), %zmm12, %zmm12
	vmovups	%zmm23, 256(%rdx)
	vmovups	%zmm22, 320(%rdx)
	vmovups	%zmm21, 384(%rdx)
	vmovups	%zmm20, 448(%rdx)
	vmovups	%zmm19, 512(%rdx)
	vmovups	%zmm18, 576(%rdx)
	vmovups	%zmm17, 640(%rdx)
	vmovups	%zmm16, 704(%rdx)
	vmovups	%zmm15, 768(%rdx)
	vmovups	%zmm14, 832(%rdx)
	vmovups	%zmm13, 896(%rdx)
	vmovups	%zmm12, 960(%rdx)
	vaddps	1024(%rdx), %zmm11, %zmm11
	vaddps	1088(%rdx), %zmm10, %zmm10
	vaddps	1152(%rdx), %zmm9, %zmm9
	vaddps	1216(%rdx), %zmm8, %zmm8
	vaddps	1280(%rdx), %zmm7, %zmm7
	vaddps	1344(%rdx), %zmm6, %zmm6
	vaddps	1408(%rdx), %zmm5, %zmm5
	vaddps	1472(%rdx), %zmm4, %zmm4
	vmovups	%zmm11, 1024(%rdx)
	vmovups	%zmm10, 1088(%rdx)
	vmovups	%zmm9, 1152(%rdx)
	vmovups	%zmm8, 1216(%rdx)
	vmovups	%zmm7, 1280(%rdx)
	vmovups	%zmm6, 1344(%rdx)
	vmovups	%zmm5, 1408(%rdx)
.L4432:
	subq	$-128, %r14
	addq	$8192, %rsi
	addq	$6144, 136(%rsp)
	vmovups	%zmm4, 1472(%rdx)
	cmpq	%r14, %r8
	jle	.L4392
	kxorb	%k0, %k0, %k0
	jmp	.L4164
.L4161:
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm27, (%rdx)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm26, 64(%rdx)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm25, 128(%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm24, 192(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm23, 256(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm22, 320(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm21, 384(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm20, 448(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm19, 512(%rdx)
	vmovups	%zmm18, 576(%rdx)
	vmovups	%zmm17, 640(%rdx)
	vmovups	%zmm16, 704(%rdx)
	vmovups	%zmm15, 768(%rdx)
	vmovups	%zmm14, 832(%rdx)
	vmovups	%zmm13, 896(%rdx)
	vmovups	%zmm12, 960(%rdx)
	vmovups	%zmm11, 1024(%rdx)
	vmovups	%zmm10, 1088(%rdx)
	vmovups	%zmm9, 1152(%rdx)
	vmovups	%zmm8, 1216(%rdx)
	vmovups	%zmm7, 1280(%rdx)
	vmovups	%zmm6, 1344(%rdx)
	vmovups	%zmm5, 1408(%rdx)
	jmp	.L4432
.L4462:
	movq	%r9, 136(%rsp)
	movq	%rcx, %r12
	xorl	%r14d, %r14d
	kmovb	%r15d, %k0
.L4200:
	movq	%r14, %rcx
	movq	%rdi, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r9
	vmovaps	%zmm4, %zmm11
	movq	%r12, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
.L4196:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	addq	$64, %rcx
	addq	$24, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rbx, %r9
	jne	.L4196
	kortestb	%k0, %k0
	jne	.L4197
	vaddps	(%rdx), %zmm15, %zmm15
	vaddps	64(%rdx), %zmm14, %zmm14
	vaddps	128(%rdx), %zmm13, %zmm13
	vaddps	192(%rdx), %zmm12, %zmm12
	vaddps	256(%rdx), %zmm11, %zmm11
	vaddps	320(%rdx), %zmm10, %zmm10
	vaddps	384(%rdx), %zmm9, %zmm9
	vmovups	%zmm15, (%rdx)
	vaddps	448(%rdx), %zmm8, %zmm8
	vaddps	512(%rdx), %zmm7, %zmm7
	vaddps	576(%rdx), %zmm6, %zmm6
	vmovups	%zmm14, 64(%rdx)
	vaddps	640(%rdx), %zmm5, %zmm5
	vaddps	704(%rdx), %zmm4, %zmm4
	vmovups	%zmm13, 128(%rdx)
	vmovups	%zmm12, 192(%rdx)
	vmovups	%zmm11, 256(%rdx)
	vmovups	%zmm10, 320(%rdx)
	vmovups	%zmm9, 384(%rdx)
	vmovups	%zmm8, 448(%rdx)
	vmovups	%zmm7, 512(%rdx)
	vmovups	%zmm6, 576(%rdx)
	vmovups	%zmm5, 640(%rdx)
.L4444:
	subq	$-128, %r14
	addq	$8192, %rsi
	vmovups	%zmm4, 704(%rdx)
	addq	$3072, %r12
	cmpq	%r14, %rdi
	jle	.L4397
	kxorb	%k0, %k0, %k0
	jmp	.L4200
.L4197:
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm15, (%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm14, 64(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm13, 128(%rdx)
	vmovups	%zmm12, 192(%rdx)
	vmovups	%zmm11, 256(%rdx)
	vmovups	%zmm10, 320(%rdx)
	vmovups	%zmm9, 384(%rdx)
	vmovups	%zmm8, 448(%rdx)
	vmovups	%zmm7, 512(%rdx)
	vmovups	%zmm6, 576(%rdx)
	vmovups	%zmm5, 640(%rdx)
	jmp	.L4444
.L4397:
	movq	136(%rsp), %r9
	jmp	.L4066
.L4461:
	movq	%r13, 136(%rsp)
	movq	%rcx, %r12
	movq	%r10, %r13
	xorl	%r14d, %r14d
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rsi, %rdi
	kmovb	%r15d, %k0
.L4194:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %esi
	movq	%rdi, %rbx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rsi, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rsi, %rax
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm9
	salq	$6, %rax
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	leaq	(%rax,%rdi), %rsi
	vmovaps	%zmm4, %zmm12
	movq	%r12, %rax
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
.L4190:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	addq	$64, %rcx
	addq	$28, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rsi, %rbx
	jne	.L4190
	kortestb	%k0, %k0
	jne	.L4191
	vaddps	(%rdx), %zmm17, %zmm17
	vaddps	64(%rdx), %zmm16, %zmm16
	vaddps	128(%rdx), %zmm15, %zmm15
	vaddps	192(%rdx), %zmm14, %zmm14
	vaddps	256(%rdx), %zmm13, %zmm13
	vaddps	320(%rdx), %zmm12, %zmm12
	vaddps	384(%rdx), %zmm11, %zmm11
	vmovups	%zmm17, (%rdx)
	vaddps	448(%rdx), %zmm10, %zmm10
	vaddps	512(%rdx), %zmm9, %zmm9
	vaddps	576(%rdx), %zmm8, %zmm8
	vmovups	%zmm16, 64(%rdx)
	vaddps	640(%rdx), %zmm7, %zmm7
	vaddps	704(%rdx), %zmm6, %zmm6
	vmovups	%zmm15, 128(%rdx)
	vaddps	768(%rdx), %zmm5, %zmm5
	vaddps	832(%rdx), %zmm4, %zmm4
	vmovups	%zmm14, 192(%rdx)
	vmovups	%zmm13, 256(%rdx)
	vmovups	%zmm12, 320(%rdx)
	vmovups	%zmm11, 384(%rdx)
	vmovups	%zmm10, 448(%rdx)
	vmovups	%zmm9, 512(%rdx)
	vmovups	%zmm8, 576(%rdx)
	vmovups	%zmm7, 640(%rdx)
	vmovups	%zmm6, 704(%rdx)
	vmovups	%zmm5, 768(%rdx)
.L4442:
	subq	$-128, %r14
	addq	$8192, %rdi
	vmovups	%zmm4, 832(%rdx)
	addq	$3584, %r12
	cmpq	%r14, %r8
	jle	.L4394
	kxorb	%k0, %k0, %k0
	jmp	.L4194
.L4191:
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm17, (%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm16, 64(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm15, 128(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm14, 192(%rdx)
	vmovups	%zmm13, 256(%rdx)
	vmovups	%zmm12, 320(%rdx)
	vmovups	%zmm11, 384(%rdx)
	vmovups	%zmm10, 448(%rdx)
	vmovups	%zmm9, 512(%rdx)
	vmovups	%zmm8, 576(%rdx)
	vmovups	%zmm7, 640(%rdx)
	vmovups	%zmm6, 704(%rdx)
	vmovups	%zmm5, 768(%rdx)
	jmp	.L4442
.L4460:
	movq	%r13, 136(%rsp)
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%rcx, %r9
	movq	%rsi, %rcx
	kmovb	%r15d, %k0
.L4188:
	movq	%r14, %rsi
	movq	%r14, %rax
	movq	%rdi, %rbx
	movl	$128, %r12d
	salq	$6, %rsi
	salq	$5, %rax
	subq	%r14, %rbx
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rsi
	addq	%r9, %rax
	cmpq	%r12, %rbx
	cmovg	%r12, %rbx
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rbx
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rbx,%rcx), %r12
	vmovaps	%zmm4, %zmm11
	movq	%rcx, %rbx
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
.L4184:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rsi), %zmm1
	vcvtph2ps	32(%rsi), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	addq	$64, %rsi
	addq	$32, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rbx, %r12
	jne	.L4184
	kortestb	%k0, %k0
	jne	.L4185
	vaddps	(%rdx), %zmm19, %zmm19
	vaddps	64(%rdx), %zmm18, %zmm18
	vaddps	128(%rdx), %zmm17, %zmm17
	vaddps	192(%rdx), %zmm16, %zmm16
	vaddps	256(%rdx), %zmm15, %zmm15
	vaddps	320(%rdx), %zmm14, %zmm14
	vaddps	384(%rdx), %zmm13, %zmm13
	vmovups	%zmm19, (%rdx)
	vaddps	448(%rdx), %zmm12, %zmm12
	vaddps	512(%rdx), %zmm11, %zmm11
	vaddps	576(%rdx), %zmm10, %zmm10
	vmovups	%zmm18, 64(%rdx)
	vaddps	640(%rdx), %zmm9, %zmm9
	vaddps	704(%rdx), %zmm8, %zmm8
	vmovups	%zmm17, 128(%rdx)
	vaddps	768(%rdx), %zmm7, %zmm7
	vaddps	832(%rdx), %zmm6, %zmm6
	vmovups	%zmm16, 192(%rdx)
	vaddps	896(%rdx), %zmm5, %zmm5
	vaddps	960(%rdx), %zmm4, %zmm4
	vmovups	%zmm15, 256(%rdx)
	vmovups	%zmm14, 320(%rdx)
	vmovups	%zmm13, 384(%rdx)
	vmovups	%zmm12, 448(%rdx)
	vmovups	%zmm11, 512(%rdx)
	vmovups	%zmm10, 576(%rdx)
	vmovups	%zmm9, 640(%rdx)
	vmovups	%zmm8, 704(%rdx)
	vmovups	%zmm7, 768(%rdx)
	vmovups	%zmm6, 832(%rdx)
	vmovups	%zmm5, 896(%rdx)
.L4440:
	subq	$-128, %r14
	addq	$8192, %rcx
	vmovups	%zmm4, 960(%rdx)
	cmpq	%r14, %rdi
	jle	.L4453
	kxorb	%k0, %k0, %k0
	jmp	.L4188
.L4185:
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm19, (%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm18, 64(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm17, 128(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm16, 192(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm15, 256(%rdx)
	vmovups	%zmm14, 320(%rdx)
	vmovups	%zmm13, 384(%rdx)
	vmovups	%zmm12, 448(%rdx)
	vmovups	%zmm11, 512(%rdx)
	vmovups	%zmm10, 576(%rdx)
	vmovups	%zmm9, 640(%rdx)
	vmovups	%zmm8, 704(%rdx)
	vmovups	%zmm7, 768(%rdx)
	vmovups	%zmm6, 832(%rdx)
	vmovups	%zmm5, 896(%rdx)
	jmp	.L4440
.L4394:
	movq	%r8, %rdi
	movq	%r9, %r8
.L4453:
	movq	%r10, %r9
	movq	%r13, %r10
	movq	136(%rsp), %r13
	jmp	.L4066
.L4459:
	movq	%rcx, 136(%rsp)
	movq	%r13, %rax
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rax, %rdi
	kmovb	%r15d, %k0
.L4182:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r12
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
.L4178:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	addq	$64, %rcx
	addq	$36, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L4178
	kortestb	%k0, %k0
	jne	.L4179
	vaddps	(%rdx), %zmm21, %zmm21
	vaddps	64(%rdx), %zmm20, %zmm20
	vaddps	128(%rdx), %zmm19, %zmm19
	vaddps	192(%rdx), %zmm18, %zmm18
	vaddps	256(%rdx), %zmm17, %zmm17
	vaddps	320(%rdx), %zmm16, %zmm16
	vaddps	384(%rdx), %zmm15, %zmm15
	vmovups	%zmm21, (%rdx)
	vaddps	448(%rdx), %zmm14, %zmm14
	vaddps	512(%rdx), %zmm13, %zmm13
	vaddps	576(%rdx), %zmm12, %zmm12
	vmovups	%zmm20, 64(%rdx)
	vaddps	640(%rdx), %zmm11, %zmm11
	vaddps	704(%rdx), %zmm10, %zmm10
	vmovups	%zmm19, 128(%rdx)
	vaddps	768(%rdx), %zmm9, %zmm9
	vaddps	832(%rdx), %zmm8, %zmm8
	vmovups	%zmm18, 192(%rdx)
	vaddps	896(%rdx), %zmm7, %zmm7
	vaddps	960(%rdx), %zmm6, %zmm6
	vmovups	%zmm17, 256(%rdx)
	vmovups	%zmm16, 320(%rdx)
	vmovups	%zmm15, 384(%rdx)
	vmovups	%zmm14, 448(%rdx)
	vmovups	%zmm13, 512(%rdx)
	vmovups	%zmm12, 576(%rdx)
	vmovups	%zmm11, 640(%rdx)
	vmovups	%zmm10, 704(%rdx)
	vmovups	%zmm9, 768(%rdx)
	vmovups	%zmm8, 832(%rdx)
	vmovups	%zmm7, 896(%rdx)
	vmovups	%zmm6, 960(%rdx)
	vaddps	1024(%rdx), %zmm5, %zmm5
	vaddps	1088(%rdx), %zmm4, %zmm4
	vmovups	%zmm5, 1024(%rdx)
.L4438:
	subq	$-128, %r14
	addq	$8192, %rsi
	addq	$4608, 136(%rsp)
	vmovups	%zmm4, 1088(%rdx)
	cmpq	%r14, %r8
	jle	.L4392
	kxorb	%k0, %k0, %k0
	jmp	.L4182
.L4179:
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm21, (%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm20, 64(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm19, 128(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm18, 192(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm17, 256(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm16, 320(%rdx)
	vmovups	%zmm15, 384(%rdx)
	vmovups	%zmm14, 448(%rdx)
	vmovups	%zmm13, 512(%rdx)
	vmovups	%zmm12, 576(%rdx)
	vmovups	%zmm11, 640(%rdx)
	vmovups	%zmm10, 704(%rdx)
	vmovups	%zmm9, 768(%rdx)
	vmovups	%zmm8, 832(%rdx)
	vmovups	%zmm7, 896(%rdx)
	vmovups	%zmm6, 960(%rdx)
	vmovups	%zmm5, 1024(%rdx)
	jmp	.L4438
.L4458:
	movq	%rcx, 136(%rsp)
	movq	%r13, %rax
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rax, %rdi
	kmovb	%r15d, %k0
.L4176:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r12
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
.L4172:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	addq	$64, %rcx
	addq	$40, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L4172
	kortestb	%k0, %k0
	jne	.L4173
	vaddps	(%rdx), %zmm23, %zmm23
	vaddps	64(%rdx), %zmm22, %zmm22
	vaddps	128(%rdx), %zmm21, %zmm21
	vaddps	192(%rdx), %zmm20, %zmm20
	vaddps	256(%rdx), %zmm19, %zmm19
	vaddps	320(%rdx), %zmm18, %zmm18
	vaddps	384(%rdx), %zmm17, %zmm17
	vmovups	%zmm23, (%rdx)
	vaddps	448(%rdx), %zmm16, %zmm16
	vaddps	512(%rdx), %zmm15, %zmm15
	vaddps	576(%rdx), %zmm14, %zmm14
	vmovups	%zmm22, 64(%rdx)
	vaddps	640(%rdx), %zmm13, %zmm13
	vaddps	704(%rdx), %zmm12, %zmm12
	vmovups	%zmm21, 128(%rdx)
	vaddps	768(%rdx), %zmm11, %zmm11
	vaddps	832(%rdx), %zmm10, %zmm10
	vmovups	%zmm20, 192(%rdx)
	vaddps	896(%rdx), %zmm9, %zmm9
	vaddps	960(%rdx), %zmm8, %zmm8
	vmovups	%zmm19, 256(%rdx)
	vmovups	%zmm18, 320(%rdx)
	vmovups	%zmm17, 384(%rdx)
	vmovups	%zmm16, 448(%rdx)
	vmovups	%zmm15, 512(%rdx)
	vmovups	%zmm14, 576(%rdx)
	vmovups	%zmm13, 640(%rdx)
	vmovups	%zmm12, 704(%rdx)
	vmovups	%zmm11, 768(%rdx)
	vmovups	%zmm10, 832(%rdx)
	vmovups	%zmm9, 896(%rdx)
	vmovups	%zmm8, 960(%rdx)
	vaddps	1024(%rdx), %zmm7, %zmm7
	vaddps	1088(%rdx), %zmm6, %zmm6
	vaddps	1152(%rdx), %zmm5, %zmm5
	vaddps	1216(%rdx), %zmm4, %zmm4
	vmovups	%zmm7, 1024(%rdx)
	vmovups	%zmm6, 1088(%rdx)
	vmovups	%zmm5, 1152(%rdx)
.L4436:
	subq	$-128, %r14
	addq	$8192, %rsi
	addq	$5120, 136(%rsp)
	vmovups	%zmm4, 1216(%rdx)
	cmpq	%r14, %r8
	jle	.L4392
	kxorb	%k0, %k0, %k0
	jmp	.L4176
.L4173:
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm23, (%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm22, 64(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm21, 128(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm20, 192(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm19, 256(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm18, 320(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm17, 384(%rdx)
	vmovups	%zmm16, 448(%rdx)
	vmovups	%zmm15, 512(%rdx)
	vmovups	%zmm14, 576(%rdx)
	vmovups	%zmm13, 640(%rdx)
	vmovups	%zmm12, 704(%rdx)
	vmovups	%zmm11, 768(%rdx)
	vmovups	%zmm10, 832(%rdx)
	vmovups	%zmm9, 896(%rdx)
	vmovups	%zmm8, 960(%rdx)
	vmovups	%zmm7, 1024(%rdx)
	vmovups	%zmm6, 1088(%rdx)
	vmovups	%zmm5, 1152(%rdx)
	jmp	.L4436
.L4471:
	movq	152(%rsp), %r14
	movq	%rcx, %r12
	xorl	%esi, %esi
	kmovb	%r15d, %k0
.L4080:
	movq	%rdi, %rax
	movl	$128, %edx
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rsi, %rax
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm6
	cmpq	%rdx, %rax
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	cmovg	%rdx, %rax
	vmovaps	%zmm4, %zmm9
	movq	%r14, %rdx
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	addq	%rsi, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rax,2), %rbx
	vmovaps	%zmm4, %zmm14
	movq	%r12, %rax
	salq	$4, %rbx
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	addq	%rcx, %rbx
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
.L4076:
	vpbroadcastd	(%rax), %zmm3
	addq	$48, %rax
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rax, %rbx
	jne	.L4076
	kortestb	%k0, %k0
	jne	.L4077
	vaddps	0(%r13), %zmm27, %zmm27
	vaddps	64(%r13), %zmm26, %zmm26
	vaddps	128(%r13), %zmm25, %zmm25
	vaddps	192(%r13), %zmm24, %zmm24
	vaddps	256(%r13), %zmm23, %zmm23
	vaddps	320(%r13), %zmm22, %zmm22
	vaddps	384(%r13), %zmm21, %zmm21
	vaddps	448(%r13), %zmm20, %zmm20
	vmovups	%zmm27, 0(%r13)
	vaddps	512(%r13), %zmm19, %zmm19
	vaddps	576(%r13), %zmm18, %zmm18
	vmovups	%zmm26, 64(%r13)
	vaddps	640(%r13), %zmm17, %zmm17
	vaddps	704(%r13), %zmm16, %zmm16
	vmovups	%zmm25, 128(%r13)
	vaddps	768(%r13), %zmm15, %zmm15
	vaddps	832(%r13), %zmm14, %zmm14
	vmovups	%zmm24, 192(%r13)
	vaddps	896(%r13), %zmm13, %zmm13
	vaddps	960(%r13), %zmm12, %zmm12
	vmovups	%zmm23, 256(%r13)
	vmovups	%zmm22, 320(%r13)
	vmovups	%zmm21, 384(%r13)
	vmovups	%zmm20, 448(%r13)
	vmovups	%zmm19, 512(%r13)
	vmovups	%zmm18, 576(%r13)
	vmovups	%zmm17, 640(%r13)
	vmovups	%zmm16, 704(%r13)
	vmovups	%zmm15, 768(%r13)
	vmovups	%zmm14, 832(%r13)
	vmovups	%zmm13, 896(%r13)
	vmovups	%zmm12, 960(%r13)
	vaddps	1024(%r13), %zmm11, %zmm11
	vaddps	1088(%r13), %zmm10, %zmm10
	vaddps	1152(%r13), %zmm9, %zmm9
	vaddps	1216(%r13), %zmm8, %zmm8
	vaddps	1280(%r13), %zmm7, %zmm7
	vaddps	1344(%r13), %zmm6, %zmm6
	vaddps	1408(%r13), %zmm5, %zmm5
	vaddps	1472(%r13), %zmm4, %zmm4
	vmovups	%zmm11, 1024(%r13)
	vmovups	%zmm10, 1088(%r13)
	vmovups	%zmm9, 1152(%r13)
	vmovups	%zmm8, 1216(%r13)
	vmovups	%zmm7, 1280(%r13)
	vmovups	%zmm6, 1344(%r13)
	vmovups	%zmm5, 1408(%r13)
.L4409:
	subq	$-128, %rsi
	addq	$8192, %r14
	vmovups	%zmm4, 1472(%r13)
	addq	$6144, %r12
	cmpq	%rsi, %rdi
	jle	.L4066
	kxorb	%k0, %k0, %k0
	jmp	.L4080
.L4077:
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm27, 0(%r13)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm26, 64(%r13)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm25, 128(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm24, 192(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm23, 256(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm22, 320(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm21, 384(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm20, 448(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm19, 512(%r13)
	vmovups	%zmm18, 576(%r13)
	vmovups	%zmm17, 640(%r13)
	vmovups	%zmm16, 704(%r13)
	vmovups	%zmm15, 768(%r13)
	vmovups	%zmm14, 832(%r13)
	vmovups	%zmm13, 896(%r13)
	vmovups	%zmm12, 960(%r13)
	vmovups	%zmm11, 1024(%r13)
	vmovups	%zmm10, 1088(%r13)
	vmovups	%zmm9, 1152(%r13)
	vmovups	%zmm8, 1216(%r13)
	vmovups	%zmm7, 1280(%r13)
	vmovups	%zmm6, 1344(%r13)
	vmovups	%zmm5, 1408(%r13)
	jmp	.L4409
.L4470:
	movq	%r8, %r12
	movl	%r15d, %r14d
	xorl	%ebx, %ebx
.L4073:
	movq	%rdi, %rax
	movl	$128, %esi
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rbx, %rax
	leaq	4096(%r12), %rdx
	vmovaps	%zmm4, %zmm5
	cmpq	%rsi, %rax
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	cmovg	%rsi, %rax
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	salq	$6, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rdx), %rsi
	vmovaps	%zmm4, %zmm14
	movq	%rcx, %rax
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm29
.L4069:
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	addq	$52, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm28
	vpbroadcastd	-48(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rsi, %rdx
	jne	.L4069
	testb	%r14b, %r14b
	jne	.L4070
	vaddps	0(%r13), %zmm29, %zmm29
	vaddps	64(%r13), %zmm28, %zmm28
	vaddps	128(%r13), %zmm27, %zmm27
	vaddps	192(%r13), %zmm26, %zmm26
	vaddps	256(%r13), %zmm25, %zmm25
	vaddps	320(%r13), %zmm24, %zmm24
	vaddps	384(%r13), %zmm23, %zmm23
	vaddps	448(%r13), %zmm22, %zmm22
	vmovups	%zmm29, 0(%r13)
	vaddps	512(%r13), %zmm21, %zmm21
	vaddps	576(%r13), %zmm20, %zmm20
	vmovups	%zmm28, 64(%r13)
	vaddps	640(%r13), %zmm19, %zmm19
	vaddps	704(%r13), %zmm18, %zmm18
	vmovups	%zmm27, 128(%r13)
	vaddps	768(%r13), %zmm17, %zmm17
	vaddps	832(%r13), %zmm16, %zmm16
	vmovups	%zmm26, 192(%r13)
	vaddps	896(%r13), %zmm15, %zmm15
	vaddps	960(%r13), %zmm14, %zmm14
	vmovups	%zmm25, 256(%r13)
	vmovups	%zmm24, 320(%r13)
	vmovups	%zmm23, 384(%r13)
	vmovups	%zmm22, 448(%r13)
	vmovups	%zmm21, 512(%r13)
	vmovups	%zmm20, 576(%r13)
	vmovups	%zmm19, 640(%r13)
	vmovups	%zmm18, 704(%r13)
	vmovups	%zmm17, 768(%r13)
	vmovups	%zmm16, 832(%r13)
	vmovups	%zmm15, 896(%r13)
	vmovups	%zmm14, 960(%r13)
	vaddps	1024(%r13), %zmm13, %zmm13
	vaddps	1088(%r13), %zmm12, %zmm12
	vaddps	1152(%r13), %zmm11, %zmm11
	vaddps	1216(%r13), %zmm10, %zmm10
	vaddps	1280(%r13), %zmm9, %zmm9
	vaddps	1344(%r13), %zmm8, %zmm8
	vaddps	1408(%r13), %zmm7, %zmm7
	vaddps	1472(%r13), %zmm6, %zmm6
	vmovups	%zmm13, 1024(%r13)
	vaddps	1536(%r13), %zmm5, %zmm5
	vaddps	1600(%r13), %zmm4, %zmm4
	vmovups	%zmm12, 1088(%r13)
	vmovups	%zmm11, 1152(%r13)
	vmovups	%zmm10, 1216(%r13)
	vmovups	%zmm9, 1280(%r13)
	vmovups	%zmm8, 1344(%r13)
	vmovups	%zmm7, 1408(%r13)
	vmovups	%zmm6, 1472(%r13)
	vmovups	%zmm5, 1536(%r13)
.L4408:
	subq	$-128, %rbx
	addq	$8192, %r12
	vmovups	%zmm4, 1600(%r13)
	addq	$6656, %rcx
	cmpq	%rbx, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4073
.L4070:
	vaddps	%zmm2, %zmm29, %zmm29
	vaddps	%zmm2, %zmm28, %zmm28
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vmovups	%zmm29, 0(%r13)
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm28, 64(%r13)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm27, 128(%r13)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm26, 192(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm25, 256(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm24, 320(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm23, 384(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm22, 448(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm21, 512(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm20, 576(%r13)
	vmovups	%zmm19, 640(%r13)
	vmovups	%zmm18, 704(%r13)
	vmovups	%zmm17, 768(%r13)
	vmovups	%zmm16, 832(%r13)
	vmovups	%zmm15, 896(%r13)
	vmovups	%zmm14, 960(%r13)
	vmovups	%zmm13, 1024(%r13)
	vmovups	%zmm12, 1088(%r13)
	vmovups	%zmm11, 1152(%r13)
	vmovups	%zmm10, 1216(%r13)
	vmovups	%zmm9, 1280(%r13)
	vmovups	%zmm8, 1344(%r13)
	vmovups	%zmm7, 1408(%r13)
	vmovups	%zmm6, 1472(%r13)
	vmovups	%zmm5, 1536(%r13)
	jmp	.L4408
.L4469:
	movq	%r8, %r12
	movl	%r15d, %r14d
	xorl	%ebx, %ebx
.L4067:
	movq	%rdi, %rax
	movl	$128, %esi
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rbx, %rax
	leaq	4096(%r12), %rdx
	vmovaps	%zmm4, %zmm5
	cmpq	%rsi, %rax
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	cmovg	%rsi, %rax
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	salq	$6, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rdx), %rsi
	vmovaps	%zmm4, %zmm14
	movq	%rcx, %rax
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm29
	vmovaps	%zmm4, %zmm30
	vmovaps	%zmm4, %zmm31
.L4063:
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm31
	addq	$56, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm30
	vpbroadcastd	-52(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	vfmadd231ps	%zmm0, %zmm3, %zmm28
	vpbroadcastd	-48(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rsi, %rdx
	jne	.L4063
	testb	%r14b, %r14b
	jne	.L4064
	vaddps	0(%r13), %zmm31, %zmm31
	vaddps	64(%r13), %zmm30, %zmm30
	vaddps	128(%r13), %zmm29, %zmm29
	vaddps	192(%r13), %zmm28, %zmm28
	vaddps	256(%r13), %zmm27, %zmm27
	vaddps	320(%r13), %zmm26, %zmm26
	vaddps	384(%r13), %zmm25, %zmm25
	vaddps	448(%r13), %zmm24, %zmm24
	vmovups	%zmm31, 0(%r13)
	vaddps	512(%r13), %zmm23, %zmm23
	vaddps	576(%r13), %zmm22, %zmm22
	vmovups	%zmm30, 64(%r13)
	vaddps	640(%r13), %zmm21, %zmm21
	vaddps	704(%r13), %zmm20, %zmm20
	vmovups	%zmm29, 128(%r13)
	vaddps	768(%r13), %zmm19, %zmm19
	vaddps	832(%r13), %zmm18, %zmm18
	vmovups	%zmm28, 192(%r13)
	vaddps	896(%r13), %zmm17, %zmm17
	vaddps	960(%r13), %zmm16, %zmm16
	vmovups	%zmm27, 256(%r13)
	vmovups	%zmm26, 320(%r13)
	vmovups	%zmm25, 384(%r13)
	vmovups	%zmm24, 448(%r13)
	vmovups	%zmm23, 512(%r13)
	vmovups	%zmm22, 576(%r13)
	vmovups	%zmm21, 640(%r13)
	vmovups	%zmm20, 704(%r13)
	vmovups	%zmm19, 768(%r13)
	vmovups	%zmm18, 832(%r13)
	vmovups	%zmm17, 896(%r13)
	vmovups	%zmm16, 960(%r13)
	vaddps	1024(%r13), %zmm15, %zmm15
	vaddps	1088(%r13), %zmm14, %zmm14
	vaddps	1152(%r13), %zmm13, %zmm13
	vaddps	1216(%r13), %zmm12, %zmm12
	vaddps	1280(%r13), %zmm11, %zmm11
	vaddps	1344(%r13), %zmm10, %zmm10
	vaddps	1408(%r13), %zmm9, %zmm9
	vaddps	1472(%r13), %zmm8, %zmm8
	vmovups	%zmm15, 1024(%r13)
	vaddps	1536(%r13), %zmm7, %zmm7
	vaddps	1600(%r13), %zmm6, %zmm6
	vmovups	%zmm14, 1088(%r13)
	vaddps	1664(%r13), %zmm5, %zmm5
	vaddps	1728(%r13), %zmm4, %zmm4
	vmovups	%zmm13, 1152(%r13)
	vmovups	%zmm12, 1216(%r13)
	vmovups	%zmm11, 1280(%r13)
	vmovups	%zmm10, 1344(%r13)
	vmovups	%zmm9, 1408(%r13)
	vmovups	%zmm8, 1472(%r13)
	vmovups	%zmm7, 1536(%r13)
	vmovups	%zmm6, 1600(%r13)
	vmovups	%zmm5, 1664(%r13)
.L4407:
	subq	$-128, %rbx
	addq	$8192, %r12
	vmovups	%zmm4, 1728(%r13)
	addq	$7168, %rcx
	cmpq	%rbx, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4067
.L4064:
	vaddps	%zmm2, %zmm31, %zmm31
	vaddps	%zmm2, %zmm30, %zmm30
	vaddps	%zmm2, %zmm29, %zmm29
	vaddps	%zmm2, %zmm28, %zmm28
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vmovups	%zmm31, 0(%r13)
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vmovups	%zmm30, 64(%r13)
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm29, 128(%r13)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm28, 192(%r13)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm27, 256(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm26, 320(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm25, 384(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm24, 448(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm23, 512(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm22, 576(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm21, 640(%r13)
	vmovups	%zmm20, 704(%r13)
	vmovups	%zmm19, 768(%r13)
	vmovups	%zmm18, 832(%r13)
	vmovups	%zmm17, 896(%r13)
	vmovups	%zmm16, 960(%r13)
	vmovups	%zmm15, 1024(%r13)
	vmovups	%zmm14, 1088(%r13)
	vmovups	%zmm13, 1152(%r13)
	vmovups	%zmm12, 1216(%r13)
	vmovups	%zmm11, 1280(%r13)
	vmovups	%zmm10, 1344(%r13)
	vmovups	%zmm9, 1408(%r13)
	vmovups	%zmm8, 1472(%r13)
	vmovups	%zmm7, 1536(%r13)
	vmovups	%zmm6, 1600(%r13)
	vmovups	%zmm5, 1664(%r13)
	jmp	.L4407
.L4472:
	movq	%r8, %rbx
	movl	%r15d, %r14d
	xorl	%esi, %esi
.L4086:
	movq	%rdi, %rax
	movl	$128, %r12d
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rsi, %rax
	leaq	4096(%rbx), %rdx
	vmovaps	%zmm4, %zmm5
	cmpq	%r12, %rax
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	cmovg	%r12, %rax
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	salq	$6, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rdx), %r12
	vmovaps	%zmm4, %zmm14
	movq	%rcx, %rax
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
.L4082:
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	addq	$44, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rdx
	jne	.L4082
	testb	%r14b, %r14b
	jne	.L4083
	vaddps	0(%r13), %zmm25, %zmm25
	vaddps	64(%r13), %zmm24, %zmm24
	vaddps	128(%r13), %zmm23, %zmm23
	vaddps	192(%r13), %zmm22, %zmm22
	vaddps	256(%r13), %zmm21, %zmm21
	vaddps	320(%r13), %zmm20, %zmm20
	vaddps	384(%r13), %zmm19, %zmm19
	vaddps	448(%r13), %zmm18, %zmm18
	vmovups	%zmm25, 0(%r13)
	vaddps	512(%r13), %zmm17, %zmm17
	vaddps	576(%r13), %zmm16, %zmm16
	vmovups	%zmm24, 64(%r13)
	vaddps	640(%r13), %zmm15, %zmm15
	vaddps	704(%r13), %zmm14, %zmm14
	vmovups	%zmm23, 128(%r13)
	vaddps	768(%r13), %zmm13, %zmm13
	vaddps	832(%r13), %zmm12, %zmm12
	vmovups	%zmm22, 192(%r13)
	vaddps	896(%r13), %zmm11, %zmm11
	vaddps	960(%r13), %zmm10, %zmm10
	vmovups	%zmm21, 256(%r13)
	vmovups	%zmm20, 320(%r13)
	vmovups	%zmm19, 384(%r13)
	vmovups	%zmm18, 448(%r13)
	vmovups	%zmm17, 512(%r13)
	vmovups	%zmm16, 576(%r13)
	vmovups	%zmm15, 640(%r13)
	vmovups	%zmm14, 704(%r13)
	vmovups	%zmm13, 768(%r13)
	vmovups	%zmm12, 832(%r13)
	vmovups	%zmm11, 896(%r13)
	vmovups	%zmm10, 960(%r13)
	vaddps	1024(%r13), %zmm9, %zmm9
	vaddps	1088(%r13), %zmm8, %zmm8
	vaddps	1152(%r13), %zmm7, %zmm7
	vaddps	1216(%r13), %zmm6, %zmm6
	vaddps	1280(%r13), %zmm5, %zmm5
	vaddps	1344(%r13), %zmm4, %zmm4
	vmovups	%zmm9, 1024(%r13)
	vmovups	%zmm8, 1088(%r13)
	vmovups	%zmm7, 1152(%r13)
	vmovups	%zmm6, 1216(%r13)
	vmovups	%zmm5, 1280(%r13)
.L4410:
	subq	$-128, %rsi
	addq	$8192, %rbx
	vmovups	%zmm4, 1344(%r13)
	addq	$5632, %rcx
	cmpq	%rsi, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4086
.L4083:
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm25, 0(%r13)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm24, 64(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm23, 128(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm22, 192(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm21, 256(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm20, 320(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm19, 384(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm18, 448(%r13)
	vmovups	%zmm17, 512(%r13)
	vmovups	%zmm16, 576(%r13)
	vmovups	%zmm15, 640(%r13)
	vmovups	%zmm14, 704(%r13)
	vmovups	%zmm13, 768(%r13)
	vmovups	%zmm12, 832(%r13)
	vmovups	%zmm11, 896(%r13)
	vmovups	%zmm10, 960(%r13)
	vmovups	%zmm9, 1024(%r13)
	vmovups	%zmm8, 1088(%r13)
	vmovups	%zmm7, 1152(%r13)
	vmovups	%zmm6, 1216(%r13)
	vmovups	%zmm5, 1280(%r13)
	jmp	.L4410
.L4481:
	movq	152(%rsp), %rsi
	movl	%r15d, %r14d
	xorl	%eax, %eax
	vxorps	%xmm8, %xmm8, %xmm8
.L4140:
	movq	%rdi, %rdx
	movl	$128, %r12d
	vxorps	%xmm0, %xmm0, %xmm0
	subq	%rax, %rdx
	leaq	(%rcx,%rax,8), %rbx
	vmovaps	%zmm0, %zmm1
	cmpq	%r12, %rdx
	vmovaps	%zmm0, %zmm3
	vmovaps	%zmm0, %zmm4
	cmovg	%r12, %rdx
	addq	%rax, %rdx
	leaq	(%rcx,%rdx,8), %r12
	movq	%rsi, %rdx
.L4136:
	vpbroadcastd	(%rbx), %zmm6
	addq	$8, %rbx
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vcvtph2ps	-4160(%rdx), %zmm7
	vcvtph2ps	-4128(%rdx), %zmm5
	vfmadd231ps	%zmm7, %zmm6, %zmm4
	vfmadd231ps	%zmm5, %zmm6, %zmm3
	vpbroadcastd	-4(%rbx), %zmm6
	vfmadd231ps	%zmm7, %zmm6, %zmm1
	vfmadd231ps	%zmm5, %zmm6, %zmm0
	cmpq	%r12, %rbx
	jne	.L4136
	testb	%r14b, %r14b
	jne	.L4137
	vaddps	0(%r13), %zmm4, %zmm4
	vaddps	64(%r13), %zmm3, %zmm3
	vaddps	128(%r13), %zmm1, %zmm1
	vaddps	192(%r13), %zmm0, %zmm0
	vmovups	%zmm4, 0(%r13)
	vmovups	%zmm3, 64(%r13)
	vmovups	%zmm1, 128(%r13)
.L4418:
	subq	$-128, %rax
	addq	$8192, %rsi
	vmovups	%zmm0, 192(%r13)
	cmpq	%rax, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4140
.L4482:
	vaddps	0(%r13), %zmm1, %zmm1
	vaddps	64(%r13), %zmm0, %zmm0
	vmovups	%zmm1, 0(%r13)
	jmp	.L4419
.L4137:
	vaddps	%zmm8, %zmm4, %zmm4
	vaddps	%zmm8, %zmm3, %zmm3
	vaddps	%zmm8, %zmm1, %zmm1
	vaddps	%zmm8, %zmm0, %zmm0
	vmovups	%zmm4, 0(%r13)
	vmovups	%zmm3, 64(%r13)
	vmovups	%zmm1, 128(%r13)
	jmp	.L4418
.L4480:
	movq	152(%rsp), %rbx
	movq	%rcx, %rsi
	movl	%r15d, %r14d
	xorl	%eax, %eax
.L4134:
	movq	%rdi, %rdx
	movl	$128, %r12d
	movq	%rax, 136(%rsp)
	vxorps	%xmm0, %xmm0, %xmm0
	subq	%rax, %rdx
	vmovaps	%zmm0, %zmm1
	vmovaps	%zmm0, %zmm3
	cmpq	%r12, %rdx
	vmovaps	%zmm0, %zmm4
	vmovaps	%zmm0, %zmm5
	cmovg	%r12, %rdx
	vmovaps	%zmm0, %zmm6
	movq	%rbx, %r12
	addq	%rax, %rdx
	leaq	(%rdx,%rdx,2), %rdx
	leaq	(%rcx,%rdx,4), %rdx
	vmovq	%rdx, %xmm10
	movq	%rsi, %rdx
.L4130:
	vpbroadcastd	(%rdx), %zmm9
	vmovq	%xmm10, %rax
	addq	$12, %rdx
	vcvtph2ps	-4096(%r12), %zmm8
	vcvtph2ps	-4064(%r12), %zmm7
	vfmadd231ps	%zmm8, %zmm9, %zmm6
	prefetcht0	(%r12)
	addq	$64, %r12
	vfmadd231ps	%zmm7, %zmm9, %zmm5
	vpbroadcastd	-8(%rdx), %zmm9
	vfmadd231ps	%zmm8, %zmm9, %zmm4
	vfmadd231ps	%zmm7, %zmm9, %zmm3
	vpbroadcastd	-4(%rdx), %zmm9
	vfmadd231ps	%zmm8, %zmm9, %zmm1
	vfmadd231ps	%zmm7, %zmm9, %zmm0
	cmpq	%rax, %rdx
	jne	.L4130
	movq	136(%rsp), %rax
	testb	%r14b, %r14b
	jne	.L4131
	vaddps	0(%r13), %zmm6, %zmm6
	vaddps	64(%r13), %zmm5, %zmm5
	vaddps	128(%r13), %zmm4, %zmm4
	vaddps	192(%r13), %zmm3, %zmm3
	vaddps	256(%r13), %zmm1, %zmm1
	vaddps	320(%r13), %zmm0, %zmm0
	vmovups	%zmm6, 0(%r13)
	vmovups	%zmm5, 64(%r13)
	vmovups	%zmm4, 128(%r13)
	vmovups	%zmm3, 192(%r13)
	vmovups	%zmm1, 256(%r13)
.L4417:
	subq	$-128, %rax
	addq	$8192, %rbx
	vmovups	%zmm0, 320(%r13)
	addq	$1536, %rsi
	cmpq	%rax, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4134
.L4479:
	movq	152(%rsp), %rbx
	movl	%r15d, %r14d
	xorl	%edx, %edx
.L4128:
	movq	%rdx, %rsi
	movq	%rdi, %rax
	movl	$128, %r12d
	salq	$4, %rsi
	subq	%rdx, %rax
	vxorps	%xmm0, %xmm0, %xmm0
	addq	%rcx, %rsi
	cmpq	%r12, %rax
	vmovaps	%zmm0, %zmm1
	cmovg	%r12, %rax
	vmovaps	%zmm0, %zmm3
	movq	%rbx, %r12
	vmovaps	%zmm0, %zmm4
	vmovaps	%zmm0, %zmm5
	addq	%rdx, %rax
	vmovaps	%zmm0, %zmm6
	vmovaps	%zmm0, %zmm7
	salq	$4, %rax
	vmovaps	%zmm0, %zmm8
	addq	%rcx, %rax
.L4124:
	vpbroadcastd	(%rsi), %zmm11
	addq	$16, %rsi
	prefetcht0	(%r12)
	vcvtph2ps	-4096(%r12), %zmm10
	vcvtph2ps	-4064(%r12), %zmm9
	vfmadd231ps	%zmm10, %zmm11, %zmm8
	addq	$64, %r12
	vfmadd231ps	%zmm9, %zmm11, %zmm7
	vpbroadcastd	-12(%rsi), %zmm11
	vfmadd231ps	%zmm10, %zmm11, %zmm6
	vfmadd231ps	%zmm9, %zmm11, %zmm5
	vpbroadcastd	-8(%rsi), %zmm11
	vfmadd231ps	%zmm10, %zmm11, %zmm4
	vfmadd231ps	%zmm9, %zmm11, %zmm3
	vpbroadcastd	-4(%rsi), %zmm11
	vfmadd231ps	%zmm10, %zmm11, %zmm1
	vfmadd231ps	%zmm9, %zmm11, %zmm0
	cmpq	%rax, %rsi
	jne	.L4124
	testb	%r14b, %r14b
	jne	.L4125
	vaddps	0(%r13), %zmm8, %zmm8
	vaddps	64(%r13), %zmm7, %zmm7
	vaddps	128(%r13), %zmm6, %zmm6
	vaddps	192(%r13), %zmm5, %zmm5
	vaddps	256(%r13), %zmm4, %zmm4
	vaddps	320(%r13), %zmm3, %zmm3
	vaddps	384(%r13), %zmm1, %zmm1
	vmovups	%zmm8, 0(%r13)
	vaddps	448(%r13), %zmm0, %zmm0
	vmovups	%zmm7, 64(%r13)
	vmovups	%zmm6, 128(%r13)
	vmovups	%zmm5, 192(%r13)
	vmovups	%zmm4, 256(%r13)
	vmovups	%zmm3, 320(%r13)
	vmovups	%zmm1, 384(%r13)
.L4416:
	subq	$-128, %rdx
	addq	$8192, %rbx
	vmovups	%zmm0, 448(%r13)
	cmpq	%rdx, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4128
.L4131:
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm6, 0(%r13)
	vmovups	%zmm5, 64(%r13)
	vmovups	%zmm4, 128(%r13)
	vmovups	%zmm3, 192(%r13)
	vmovups	%zmm1, 256(%r13)
	jmp	.L4417
.L4125:
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm8, 0(%r13)
	vmovups	%zmm7, 64(%r13)
	vmovups	%zmm6, 128(%r13)
	vmovups	%zmm5, 192(%r13)
	vmovups	%zmm4, 256(%r13)
	vmovups	%zmm3, 320(%r13)
	vmovups	%zmm1, 384(%r13)
	jmp	.L4416
.L4478:
	movq	152(%rsp), %rbx
	movq	%rcx, %rsi
	movl	%r15d, %r14d
	xorl	%eax, %eax
.L4122:
	movq	%rdi, %rdx
	movl	$128, %r12d
	vxorps	%xmm3, %xmm3, %xmm3
	subq	%rax, %rdx
	vmovaps	%zmm3, %zmm4
	vmovaps	%zmm3, %zmm5
	cmpq	%r12, %rdx
	vmovaps	%zmm3, %zmm6
	vmovaps	%zmm3, %zmm7
	cmovg	%r12, %rdx
	vmovaps	%zmm3, %zmm8
	movq	%rbx, %r12
	vmovaps	%zmm3, %zmm9
	vmovaps	%zmm3, %zmm10
	addq	%rax, %rdx
	vmovaps	%zmm3, %zmm11
	vmovaps	%zmm3, %zmm12
	leaq	(%rdx,%rdx,4), %rdx
	leaq	(%rcx,%rdx,4), %rdx
	movq	%rdx, 136(%rsp)
	movq	%rsi, %rdx
.L4118:
	vpbroadcastd	(%rdx), %zmm13
	prefetcht0	(%r12)
	addq	$20, %rdx
	vcvtph2ps	-4096(%r12), %zmm1
	vcvtph2ps	-4064(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm13, %zmm12
	addq	$64, %r12
	vfmadd231ps	%zmm0, %zmm13, %zmm11
	vpbroadcastd	-16(%rdx), %zmm13
	vfmadd231ps	%zmm1, %zmm13, %zmm10
	vfmadd231ps	%zmm0, %zmm13, %zmm9
	vpbroadcastd	-12(%rdx), %zmm13
	vfmadd231ps	%zmm1, %zmm13, %zmm8
	vfmadd231ps	%zmm0, %zmm13, %zmm7
	vpbroadcastd	-8(%rdx), %zmm13
	vfmadd231ps	%zmm1, %zmm13, %zmm6
	vfmadd231ps	%zmm0, %zmm13, %zmm5
	vpbroadcastd	-4(%rdx), %zmm13
	vfmadd231ps	%zmm1, %zmm13, %zmm4
	vfmadd231ps	%zmm0, %zmm13, %zmm3
	cmpq	%rdx, 136(%rsp)
	jne	.L4118
	testb	%r14b, %r14b
	jne	.L4119
	vaddps	0(%r13), %zmm12, %zmm12
	vaddps	64(%r13), %zmm11, %zmm11
	vaddps	128(%r13), %zmm10, %zmm10
	vaddps	192(%r13), %zmm9, %zmm9
	vaddps	256(%r13), %zmm8, %zmm8
	vaddps	320(%r13), %zmm7, %zmm7
	vaddps	384(%r13), %zmm6, %zmm6
	vaddps	448(%r13), %zmm5, %zmm5
	vmovups	%zmm12, 0(%r13)
	vaddps	512(%r13), %zmm4, %zmm4
	vaddps	576(%r13), %zmm3, %zmm3
	vmovups	%zmm11, 64(%r13)
	vmovups	%zmm10, 128(%r13)
	vmovups	%zmm9, 192(%r13)
	vmovups	%zmm8, 256(%r13)
	vmovups	%zmm7, 320(%r13)
	vmovups	%zmm6, 384(%r13)
	vmovups	%zmm5, 448(%r13)
	vmovups	%zmm4, 512(%r13)
.L4415:
	subq	$-128, %rax
	addq	$8192, %rbx
	vmovups	%zmm3, 576(%r13)
	addq	$2560, %rsi
	cmpq	%rax, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4122
.L4477:
	movq	152(%rsp), %rbx
	movq	%rcx, %rsi
	movl	%r15d, %r14d
	xorl	%edx, %edx
.L4116:
	movq	%rdi, %rax
	movl	$128, %r12d
	movq	%rdx, 136(%rsp)
	vxorps	%xmm3, %xmm3, %xmm3
	subq	%rdx, %rax
	vmovaps	%zmm3, %zmm4
	vmovaps	%zmm3, %zmm5
	cmpq	%r12, %rax
	vmovaps	%zmm3, %zmm6
	vmovaps	%zmm3, %zmm7
	cmovg	%r12, %rax
	vmovaps	%zmm3, %zmm8
	movq	%rbx, %r12
	vmovaps	%zmm3, %zmm9
	vmovaps	%zmm3, %zmm10
	addq	%rdx, %rax
	vmovaps	%zmm3, %zmm11
	vmovaps	%zmm3, %zmm12
	leaq	(%rax,%rax,2), %rax
	vmovaps	%zmm3, %zmm13
	vmovaps	%zmm3, %zmm14
	leaq	(%rcx,%rax,8), %rax
	vmovq	%rax, %xmm16
	movq	%rsi, %rax
.L4112:
	vpbroadcastd	(%rax), %zmm15
	vmovq	%xmm16, %rdx
	addq	$24, %rax
	vcvtph2ps	-4096(%r12), %zmm1
	vcvtph2ps	-4064(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm15, %zmm14
	prefetcht0	(%r12)
	addq	$64, %r12
	vfmadd231ps	%zmm0, %zmm15, %zmm13
	vpbroadcastd	-20(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm12
	vfmadd231ps	%zmm0, %zmm15, %zmm11
	vpbroadcastd	-16(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm10
	vfmadd231ps	%zmm0, %zmm15, %zmm9
	vpbroadcastd	-12(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm8
	vfmadd231ps	%zmm0, %zmm15, %zmm7
	vpbroadcastd	-8(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm6
	vfmadd231ps	%zmm0, %zmm15, %zmm5
	vpbroadcastd	-4(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm4
	vfmadd231ps	%zmm0, %zmm15, %zmm3
	cmpq	%rdx, %rax
	jne	.L4112
	movq	136(%rsp), %rdx
	testb	%r14b, %r14b
	jne	.L4113
	vaddps	0(%r13), %zmm14, %zmm14
	vaddps	64(%r13), %zmm13, %zmm13
	vaddps	128(%r13), %zmm12, %zmm12
	vaddps	192(%r13), %zmm11, %zmm11
	vaddps	256(%r13), %zmm10, %zmm10
	vaddps	320(%r13), %zmm9, %zmm9
	vaddps	384(%r13), %zmm8, %zmm8
	vaddps	448(%r13), %zmm7, %zmm7
	vmovups	%zmm14, 0(%r13)
	vaddps	512(%r13), %zmm6, %zmm6
	vaddps	576(%r13), %zmm5, %zmm5
	vmovups	%zmm13, 64(%r13)
	vaddps	640(%r13), %zmm4, %zmm4
	vaddps	704(%r13), %zmm3, %zmm3
	vmovups	%zmm12, 128(%r13)
	vmovups	%zmm11, 192(%r13)
	vmovups	%zmm10, 256(%r13)
	vmovups	%zmm9, 320(%r13)
	vmovups	%zmm8, 384(%r13)
	vmovups	%zmm7, 448(%r13)
	vmovups	%zmm6, 512(%r13)
	vmovups	%zmm5, 576(%r13)
	vmovups	%zmm4, 640(%r13)
.L4414:
	subq	$-128, %rdx
	addq	$8192, %rbx
	vmovups	%zmm3, 704(%r13)
	addq	$3072, %rsi
	cmpq	%rdx, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4116
.L4113:
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vmovups	%zmm14, 0(%r13)
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm13, 64(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm12, 128(%r13)
	vmovups	%zmm11, 192(%r13)
	vmovups	%zmm10, 256(%r13)
	vmovups	%zmm9, 320(%r13)
	vmovups	%zmm8, 384(%r13)
	vmovups	%zmm7, 448(%r13)
	vmovups	%zmm6, 512(%r13)
	vmovups	%zmm5, 576(%r13)
	vmovups	%zmm4, 640(%r13)
	jmp	.L4414
.L4119:
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm12, 0(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm11, 64(%r13)
	vmovups	%zmm10, 128(%r13)
	vmovups	%zmm9, 192(%r13)
	vmovups	%zmm8, 256(%r13)
	vmovups	%zmm7, 320(%r13)
	vmovups	%zmm6, 384(%r13)
	vmovups	%zmm5, 448(%r13)
	vmovups	%zmm4, 512(%r13)
	jmp	.L4415
.L4476:
	movq	%r8, %rbx
	movl	%r15d, %r14d
	xorl	%edx, %edx
.L4110:
	movq	%rdi, %rax
	movl	$128, %esi
	vxorps	%xmm3, %xmm3, %xmm3
	subq	%rdx, %rax
	leaq	4096(%rbx), %r12
	vmovaps	%zmm3, %zmm4
	cmpq	%rsi, %rax
	vmovaps	%zmm3, %zmm5
	vmovaps	%zmm3, %zmm6
	cmovg	%rsi, %rax
	vmovaps	%zmm3, %zmm7
	vmovaps	%zmm3, %zmm8
	vmovaps	%zmm3, %zmm9
	vmovaps	%zmm3, %zmm10
	salq	$6, %rax
	vmovaps	%zmm3, %zmm11
	vmovaps	%zmm3, %zmm12
	leaq	(%rax,%r12), %rsi
	vmovaps	%zmm3, %zmm13
	movq	%rcx, %rax
	vmovaps	%zmm3, %zmm14
	vmovaps	%zmm3, %zmm15
	vmovaps	%zmm3, %zmm16
.L4106:
	prefetcht0	(%r12)
	addq	$64, %r12
	vpbroadcastd	(%rax), %zmm17
	vcvtph2ps	-4160(%r12), %zmm1
	vcvtph2ps	-4128(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm17, %zmm16
	addq	$28, %rax
	vfmadd231ps	%zmm0, %zmm17, %zmm15
	vpbroadcastd	-24(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm14
	vfmadd231ps	%zmm0, %zmm17, %zmm13
	vpbroadcastd	-20(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm12
	vfmadd231ps	%zmm0, %zmm17, %zmm11
	vpbroadcastd	-16(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm10
	vfmadd231ps	%zmm0, %zmm17, %zmm9
	vpbroadcastd	-12(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm8
	vfmadd231ps	%zmm0, %zmm17, %zmm7
	vpbroadcastd	-8(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm6
	vfmadd231ps	%zmm0, %zmm17, %zmm5
	vpbroadcastd	-4(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm4
	vfmadd231ps	%zmm0, %zmm17, %zmm3
	cmpq	%rsi, %r12
	jne	.L4106
	testb	%r14b, %r14b
	jne	.L4107
	vaddps	0(%r13), %zmm16, %zmm16
	vaddps	64(%r13), %zmm15, %zmm15
	vaddps	128(%r13), %zmm14, %zmm14
	vaddps	192(%r13), %zmm13, %zmm13
	vaddps	256(%r13), %zmm12, %zmm12
	vaddps	320(%r13), %zmm11, %zmm11
	vaddps	384(%r13), %zmm10, %zmm10
	vaddps	448(%r13), %zmm9, %zmm9
	vmovups	%zmm16, 0(%r13)
	vaddps	512(%r13), %zmm8, %zmm8
	vaddps	576(%r13), %zmm7, %zmm7
	vmovups	%zmm15, 64(%r13)
	vaddps	640(%r13), %zmm6, %zmm6
	vaddps	704(%r13), %zmm5, %zmm5
	vmovups	%zmm14, 128(%r13)
	vaddps	768(%r13), %zmm4, %zmm4
	vaddps	832(%r13), %zmm3, %zmm3
	vmovups	%zmm13, 192(%r13)
	vmovups	%zmm12, 256(%r13)
	vmovups	%zmm11, 320(%r13)
	vmovups	%zmm10, 384(%r13)
	vmovups	%zmm9, 448(%r13)
	vmovups	%zmm8, 512(%r13)
	vmovups	%zmm7, 576(%r13)
	vmovups	%zmm6, 640(%r13)
	vmovups	%zmm5, 704(%r13)
	vmovups	%zmm4, 768(%r13)
.L4413:
	subq	$-128, %rdx
	addq	$8192, %rbx
	vmovups	%zmm3, 832(%r13)
	addq	$3584, %rcx
	cmpq	%rdx, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4110
.L4107:
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vmovups	%zmm16, 0(%r13)
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vmovups	%zmm15, 64(%r13)
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm14, 128(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm13, 192(%r13)
	vmovups	%zmm12, 256(%r13)
	vmovups	%zmm11, 320(%r13)
	vmovups	%zmm10, 384(%r13)
	vmovups	%zmm9, 448(%r13)
	vmovups	%zmm8, 512(%r13)
	vmovups	%zmm7, 576(%r13)
	vmovups	%zmm6, 640(%r13)
	vmovups	%zmm5, 704(%r13)
	vmovups	%zmm4, 768(%r13)
	jmp	.L4413
.L4475:
	movq	152(%rsp), %rbx
	movl	%r15d, %r14d
	xorl	%esi, %esi
.L4104:
	movq	%rsi, %rax
	movq	%rdi, %rdx
	movl	$128, %r12d
	salq	$5, %rax
	subq	%rsi, %rdx
	vxorps	%xmm17, %xmm17, %xmm17
	addq	%rcx, %rax
	cmpq	%r12, %rdx
	vmovaps	%zmm17, %zmm18
	cmovg	%r12, %rdx
	vmovaps	%zmm17, %zmm3
	movq	%rbx, %r12
	vmovaps	%zmm17, %zmm4
	vmovaps	%zmm17, %zmm5
	addq	%rsi, %rdx
	vmovaps	%zmm17, %zmm6
	vmovaps	%zmm17, %zmm7
	salq	$5, %rdx
	vmovaps	%zmm17, %zmm8
	vmovaps	%zmm17, %zmm9
	addq	%rcx, %rdx
	vmovaps	%zmm17, %zmm10
	vmovaps	%zmm17, %zmm11
	vmovaps	%zmm17, %zmm12
	vmovaps	%zmm17, %zmm13
	vmovaps	%zmm17, %zmm14
	vmovaps	%zmm17, %zmm15
	vmovaps	%zmm17, %zmm16
.L4100:
	vpbroadcastd	(%rax), %zmm19
	addq	$32, %rax
	prefetcht0	(%r12)
	vcvtph2ps	-4096(%r12), %zmm1
	vcvtph2ps	-4064(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm19, %zmm16
	addq	$64, %r12
	vfmadd231ps	%zmm0, %zmm19, %zmm15
	vpbroadcastd	-28(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm14
	vfmadd231ps	%zmm0, %zmm19, %zmm13
	vpbroadcastd	-24(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm12
	vfmadd231ps	%zmm0, %zmm19, %zmm11
	vpbroadcastd	-20(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm10
	vfmadd231ps	%zmm0, %zmm19, %zmm9
	vpbroadcastd	-16(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm8
	vfmadd231ps	%zmm0, %zmm19, %zmm7
	vpbroadcastd	-12(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm6
	vfmadd231ps	%zmm0, %zmm19, %zmm5
	vpbroadcastd	-8(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm4
	vfmadd231ps	%zmm0, %zmm19, %zmm3
	vpbroadcastd	-4(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm18
	vfmadd231ps	%zmm0, %zmm19, %zmm17
	cmpq	%rax, %rdx
	jne	.L4100
	testb	%r14b, %r14b
	jne	.L4101
	vaddps	0(%r13), %zmm16, %zmm16
	vaddps	64(%r13), %zmm15, %zmm15
	vaddps	128(%r13), %zmm14, %zmm14
	vaddps	192(%r13), %zmm13, %zmm13
	vaddps	256(%r13), %zmm12, %zmm12
	vaddps	320(%r13), %zmm11, %zmm11
	vaddps	384(%r13), %zmm10, %zmm10
	vaddps	448(%r13), %zmm9, %zmm9
	vmovups	%zmm16, 0(%r13)
	vaddps	512(%r13), %zmm8, %zmm8
	vaddps	576(%r13), %zmm7, %zmm7
	vmovups	%zmm15, 64(%r13)
	vaddps	640(%r13), %zmm6, %zmm6
	vaddps	704(%r13), %zmm5, %zmm5
	vmovups	%zmm14, 128(%r13)
	vaddps	768(%r13), %zmm4, %zmm4
	vaddps	832(%r13), %zmm3, %zmm3
	vmovups	%zmm13, 192(%r13)
	vaddps	896(%r13), %zmm18, %zmm18
	vaddps	960(%r13), %zmm17, %zmm17
	vmovups	%zmm12, 256(%r13)
	vmovups	%zmm11, 320(%r13)
	vmovups	%zmm10, 384(%r13)
	vmovups	%zmm9, 448(%r13)
	vmovups	%zmm8, 512(%r13)
	vmovups	%zmm7, 576(%r13)
	vmovups	%zmm6, 640(%r13)
	vmovups	%zmm5, 704(%r13)
	vmovups	%zmm4, 768(%r13)
	vmovups	%zmm3, 832(%r13)
	vmovups	%zmm18, 896(%r13)
.L4412:
	subq	$-128, %rsi
	addq	$8192, %rbx
	vmovups	%zmm17, 960(%r13)
	cmpq	%rsi, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4104
.L4101:
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vmovups	%zmm16, 0(%r13)
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vmovups	%zmm15, 64(%r13)
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm14, 128(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm13, 192(%r13)
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vmovups	%zmm12, 256(%r13)
	vmovups	%zmm11, 320(%r13)
	vmovups	%zmm10, 384(%r13)
	vmovups	%zmm9, 448(%r13)
	vmovups	%zmm8, 512(%r13)
	vmovups	%zmm7, 576(%r13)
	vmovups	%zmm6, 640(%r13)
	vmovups	%zmm5, 704(%r13)
	vmovups	%zmm4, 768(%r13)
	vmovups	%zmm3, 832(%r13)
	vmovups	%zmm18, 896(%r13)
	jmp	.L4412
.L4474:
	movq	152(%rsp), %rbx
	movq	%rcx, %rsi
	movl	%r15d, %r14d
	xorl	%edx, %edx
.L4098:
	movq	%rdi, %rax
	movl	$128, %r12d
	movq	%rdx, 136(%rsp)
	vxorps	%xmm15, %xmm15, %xmm15
	subq	%rdx, %rax
	vmovaps	%zmm15, %zmm16
	vmovaps	%zmm15, %zmm17
	cmpq	%r12, %rax
	vmovaps	%zmm15, %zmm18
	vmovaps	%zmm15, %zmm19
	cmovg	%r12, %rax
	vmovaps	%zmm15, %zmm20
	movq	%rbx, %r12
	vmovaps	%zmm15, %zmm3
	vmovaps	%zmm15, %zmm4
	addq	%rdx, %rax
	vmovaps	%zmm15, %zmm5
	vmovaps	%zmm15, %zmm6
	leaq	(%rax,%rax,8), %rax
	vmovaps	%zmm15, %zmm7
	vmovaps	%zmm15, %zmm8
	leaq	(%rcx,%rax,4), %rax
	vmovaps	%zmm15, %zmm9
	vmovaps	%zmm15, %zmm10
	vmovq	%rax, %xmm22
	vmovaps	%zmm15, %zmm11
	movq	%rsi, %rax
	vmovaps	%zmm15, %zmm12
	vmovaps	%zmm15, %zmm13
	vmovaps	%zmm15, %zmm14
.L4094:
	vpbroadcastd	(%rax), %zmm21
	vmovq	%xmm22, %rdx
	addq	$36, %rax
	vcvtph2ps	-4096(%r12), %zmm1
	vcvtph2ps	-4064(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm21, %zmm14
	prefetcht0	(%r12)
	addq	$64, %r12
	vfmadd231ps	%zmm0, %zmm21, %zmm13
	vpbroadcastd	-32(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm12
	vfmadd231ps	%zmm0, %zmm21, %zmm11
	vpbroadcastd	-28(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm10
	vfmadd231ps	%zmm0, %zmm21, %zmm9
	vpbroadcastd	-24(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm8
	vfmadd231ps	%zmm0, %zmm21, %zmm7
	vpbroadcastd	-20(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm6
	vfmadd231ps	%zmm0, %zmm21, %zmm5
	vpbroadcastd	-16(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm4
	vfmadd231ps	%zmm0, %zmm21, %zmm3
	vpbroadcastd	-12(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm20
	vfmadd231ps	%zmm0, %zmm21, %zmm19
	vpbroadcastd	-8(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm18
	vfmadd231ps	%zmm0, %zmm21, %zmm17
	vpbroadcastd	-4(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm16
	vfmadd231ps	%zmm0, %zmm21, %zmm15
	cmpq	%rdx, %rax
	jne	.L4094
	movq	136(%rsp), %rdx
	testb	%r14b, %r14b
	jne	.L4095
	vaddps	0(%r13), %zmm14, %zmm14
	vaddps	64(%r13), %zmm13, %zmm13
	vaddps	128(%r13), %zmm12, %zmm12
	vaddps	192(%r13), %zmm11, %zmm11
	vaddps	256(%r13), %zmm10, %zmm10
	vaddps	320(%r13), %zmm9, %zmm9
	vaddps	384(%r13), %zmm8, %zmm8
	vaddps	448(%r13), %zmm7, %zmm7
	vmovups	%zmm14, 0(%r13)
	vaddps	512(%r13), %zmm6, %zmm6
	vaddps	576(%r13), %zmm5, %zmm5
	vmovups	%zmm13, 64(%r13)
	vaddps	640(%r13), %zmm4, %zmm4
	vaddps	704(%r13), %zmm3, %zmm3
	vmovups	%zmm12, 128(%r13)
	vaddps	768(%r13), %zmm20, %zmm20
	vaddps	832(%r13), %zmm19, %zmm19
	vmovups	%zmm11, 192(%r13)
	vaddps	896(%r13), %zmm18, %zmm18
	vaddps	960(%r13), %zmm17, %zmm17
	vmovups	%zmm10, 256(%r13)
	vmovups	%zmm9, 320(%r13)
	vmovups	%zmm8, 384(%r13)
	vmovups	%zmm7, 448(%r13)
	vmovups	%zmm6, 512(%r13)
	vmovups	%zmm5, 576(%r13)
	vmovups	%zmm4, 640(%r13)
	vmovups	%zmm3, 704(%r13)
	vmovups	%zmm20, 768(%r13)
	vmovups	%zmm19, 832(%r13)
	vmovups	%zmm18, 896(%r13)
	vmovups	%zmm17, 960(%r13)
	vaddps	1024(%r13), %zmm16, %zmm16
	vaddps	1088(%r13), %zmm15, %zmm15
	vmovups	%zmm16, 1024(%r13)
.L4411:
	subq	$-128, %rdx
	addq	$8192, %rbx
	vmovups	%zmm15, 1088(%r13)
	addq	$4608, %rsi
	cmpq	%rdx, %rdi
	jle	.L4066
	xorl	%r14d, %r14d
	jmp	.L4098
.L4095:
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vmovups	%zmm14, 0(%r13)
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm13, 64(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm12, 128(%r13)
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vmovups	%zmm11, 192(%r13)
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vmovups	%zmm10, 256(%r13)
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vmovups	%zmm9, 320(%r13)
	vmovups	%zmm8, 384(%r13)
	vmovups	%zmm7, 448(%r13)
	vmovups	%zmm6, 512(%r13)
	vmovups	%zmm5, 576(%r13)
	vmovups	%zmm4, 640(%r13)
	vmovups	%zmm3, 704(%r13)
	vmovups	%zmm20, 768(%r13)
	vmovups	%zmm19, 832(%r13)
	vmovups	%zmm18, 896(%r13)
	vmovups	%zmm17, 960(%r13)
	vmovups	%zmm16, 1024(%r13)
	jmp	.L4411
.L4473:
	movq	%r8, 136(%rsp)
	movq	%rcx, %rbx
	movl	%r15d, %r14d
	xorl	%esi, %esi
	movq	152(%rsp), %r12
.L4092:
	movq	%rdi, %rax
	movl	$128, %edx
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rsi, %rax
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm6
	cmpq	%rdx, %rax
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	cmovg	%rdx, %rax
	vmovaps	%zmm4, %zmm9
	movq	%r12, %rdx
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	addq	%rsi, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rax,4), %rax
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	leaq	(%rcx,%rax,8), %r8
	vmovaps	%zmm4, %zmm16
	movq	%rbx, %rax
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
.L4088:
	vpbroadcastd	(%rax), %zmm3
	addq	$40, %rax
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r8, %rax
	jne	.L4088
	testb	%r14b, %r14b
	jne	.L4089
	vaddps	0(%r13), %zmm23, %zmm23
	vaddps	64(%r13), %zmm22, %zmm22
	vaddps	128(%r13), %zmm21, %zmm21
	vaddps	192(%r13), %zmm20, %zmm20
	vaddps	256(%r13), %zmm19, %zmm19
	vaddps	320(%r13), %zmm18, %zmm18
	vaddps	384(%r13), %zmm17, %zmm17
	vaddps	448(%r13), %zmm16, %zmm16
	vmovups	%zmm23, 0(%r13)
	vaddps	512(%r13), %zmm15, %zmm15
	vaddps	576(%r13), %zmm14, %zmm14
	vmovups	%zmm22, 64(%r13)
	vaddps	640(%r13), %zmm13, %zmm13
	vaddps	704(%r13), %zmm12, %zmm12
	vmovups	%zmm21, 128(%r13)
	vaddps	768(%r13), %zmm11, %zmm11
	vaddps	832(%r13), %zmm10, %zmm10
	vmovups	%zmm20, 192(%r13)
	vaddps	896(%r13), %zmm9, %zmm9
	vaddps	960(%r13), %zmm8, %zmm8
	vmovups	%zmm19, 256(%r13)
	vmovups	%zmm18, 320(%r13)
	vmovups	%zmm17, 384(%r13)
	vmovups	%zmm16, 448(%r13)
	vmovups	%zmm15, 512(%r13)
	vmovups	%zmm14, 576(%r13)
	vmovups	%zmm13, 640(%r13)
	vmovups	%zmm12, 704(%r13)
	vmovups	%zmm11, 768(%r13)
	vmovups	%zmm10, 832(%r13)
	vmovups	%zmm9, 896(%r13)
	vmovups	%zmm8, 960(%r13)
	vaddps	1024(%r13), %zmm7, %zmm7
	vaddps	1088(%r13), %zmm6, %zmm6
	vaddps	1152(%r13), %zmm5, %zmm5
	vaddps	1216(%r13), %zmm4, %zmm4
	vmovups	%zmm7, 1024(%r13)
	vmovups	%zmm6, 1088(%r13)
	vmovups	%zmm5, 1152(%r13)
.L4426:
	subq	$-128, %rsi
	addq	$8192, %r12
	vmovups	%zmm4, 1216(%r13)
	addq	$5120, %rbx
	cmpq	%rsi, %rdi
	jle	.L4377
	xorl	%r14d, %r14d
	jmp	.L4092
.L4089:
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm23, 0(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm22, 64(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm21, 128(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm20, 192(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm19, 256(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm18, 320(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm17, 384(%r13)
	vmovups	%zmm16, 448(%r13)
	vmovups	%zmm15, 512(%r13)
	vmovups	%zmm14, 576(%r13)
	vmovups	%zmm13, 640(%r13)
	vmovups	%zmm12, 704(%r13)
	vmovups	%zmm11, 768(%r13)
	vmovups	%zmm10, 832(%r13)
	vmovups	%zmm9, 896(%r13)
	vmovups	%zmm8, 960(%r13)
	vmovups	%zmm7, 1024(%r13)
	vmovups	%zmm6, 1088(%r13)
	vmovups	%zmm5, 1152(%r13)
	jmp	.L4426
.L4377:
	movq	136(%rsp), %r8
	jmp	.L4066
.L4421:
	movq	224(%rsp), %rcx
	movq	%rsi, %r14
.L4232:
	movq	112(%rcx), %rax
	testq	%rax, %rax
	je	.L4236
	testq	%r14, %r14
	jle	.L4236
	movq	%r10, 136(%rsp)
	movq	232(%rsp), %rsi
	leaq	376(%rsp), %rdi
	leaq	0(,%r14,4), %rdx
	movq	%r11, 144(%rsp)
	movq	%rcx, 152(%rsp)
	leaq	(%rax,%rsi,4), %rsi
	vzeroupper
	call	memcpy@PLT
	movq	136(%rsp), %r10
	movq	144(%rsp), %r11
	movq	152(%rsp), %rcx
	vxorps	%xmm2, %xmm2, %xmm2
.L4236:
	movl	8(%r11), %edx
	movq	8(%r10), %rax
	cmpl	$1, %edx
	je	.L4260
	cmpl	$2, %edx
	jne	.L4261
	movq	%r13, %r14
	xorl	%r12d, %r12d
	leaq	224(%rsp), %rbx
	testq	%rax, %rax
	jle	.L4264
	movq	%r13, 152(%rsp)
	movq	%r11, %r13
	vzeroupper
.L4275:
	movq	(%r10), %rsi
	movq	%r14, %rdx
	movq	%rbx, %rdi
	movq	%r10, 144(%rsp)
	subq	$-128, %r14
	addq	%r12, %rsi
	addq	$1, %r12
	call	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf
	movq	144(%rsp), %r10
	vxorps	%xmm2, %xmm2, %xmm2
	cmpq	8(%r10), %r12
	jl	.L4275
	movq	%r13, %r11
	movq	152(%rsp), %r13
.L4264:
	addq	$1, %r15
	cmpq	%r15, 104(%rsp)
	jne	.L4058
	vzeroupper
.L4405:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L4463:
	.cfi_restore_state
	movq	%rcx, 136(%rsp)
	xorl	%r12d, %r12d
	kmovb	%r15d, %k0
.L4206:
	movq	%r12, %rcx
	movq	%rdi, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r12, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r14
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
.L4202:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	addq	$64, %rcx
	addq	$20, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r14, %rbx
	jne	.L4202
	kortestb	%k0, %k0
	jne	.L4203
	vaddps	(%rdx), %zmm13, %zmm13
	vaddps	64(%rdx), %zmm12, %zmm12
	vaddps	128(%rdx), %zmm11, %zmm11
	vaddps	192(%rdx), %zmm10, %zmm10
	vaddps	256(%rdx), %zmm9, %zmm9
	vaddps	320(%rdx), %zmm8, %zmm8
	vaddps	384(%rdx), %zmm7, %zmm7
	vmovups	%zmm13, (%rdx)
	vaddps	448(%rdx), %zmm6, %zmm6
	vaddps	512(%rdx), %zmm5, %zmm5
	vaddps	576(%rdx), %zmm4, %zmm4
	vmovups	%zmm12, 64(%rdx)
	vmovups	%zmm11, 128(%rdx)
	vmovups	%zmm10, 192(%rdx)
	vmovups	%zmm9, 256(%rdx)
	vmovups	%zmm8, 320(%rdx)
	vmovups	%zmm7, 384(%rdx)
	vmovups	%zmm6, 448(%rdx)
	vmovups	%zmm5, 512(%rdx)
.L4420:
	subq	$-128, %r12
	addq	$8192, %rsi
	addq	$2560, 136(%rsp)
	vmovups	%zmm4, 576(%rdx)
	cmpq	%r12, %rdi
	jle	.L4066
	kxorb	%k0, %k0, %k0
	jmp	.L4206
.L4203:
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm13, (%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm12, 64(%rdx)
	vmovups	%zmm11, 128(%rdx)
	vmovups	%zmm10, 192(%rdx)
	vmovups	%zmm9, 256(%rdx)
	vmovups	%zmm8, 320(%rdx)
	vmovups	%zmm7, 384(%rdx)
	vmovups	%zmm6, 448(%rdx)
	vmovups	%zmm5, 512(%rdx)
	jmp	.L4420
.L4465:
	xorl	%eax, %eax
	movq	%rcx, %r12
	vmovq	%r11, %xmm14
	kmovb	%r15d, %k0
.L4218:
	movq	%rax, %rbx
	movq	%rdi, %rcx
	movl	$128, %r14d
	movq	%rsi, %r11
	salq	$6, %rbx
	subq	%rax, %rcx
	vxorps	%xmm0, %xmm0, %xmm0
	addq	%r8, %rbx
	cmpq	%r14, %rcx
	vmovaps	%zmm0, %zmm1
	cmovg	%r14, %rcx
	vmovaps	%zmm0, %zmm3
	movq	%r12, %r14
	vmovaps	%zmm0, %zmm4
	vmovaps	%zmm0, %zmm5
	salq	$6, %rcx
	vmovaps	%zmm0, %zmm6
	addq	%rsi, %rcx
.L4214:
	prefetcht1	(%r11)
	addq	$64, %r11
	vpbroadcastd	(%r14), %zmm9
	vcvtph2ps	(%rbx), %zmm8
	vcvtph2ps	32(%rbx), %zmm7
	vfmadd231ps	%zmm8, %zmm9, %zmm6
	addq	$64, %rbx
	addq	$12, %r14
	vfmadd231ps	%zmm7, %zmm9, %zmm5
	vpbroadcastd	-8(%r14), %zmm9
	vfmadd231ps	%zmm8, %zmm9, %zmm4
	vfmadd231ps	%zmm7, %zmm9, %zmm3
	vpbroadcastd	-4(%r14), %zmm9
	vfmadd231ps	%zmm8, %zmm9, %zmm1
	vfmadd231ps	%zmm7, %zmm9, %zmm0
	cmpq	%r11, %rcx
	jne	.L4214
	kortestb	%k0, %k0
	jne	.L4215
	vaddps	(%rdx), %zmm6, %zmm6
	vaddps	64(%rdx), %zmm5, %zmm5
	vaddps	128(%rdx), %zmm4, %zmm4
	vaddps	192(%rdx), %zmm3, %zmm3
	vaddps	256(%rdx), %zmm1, %zmm1
	vaddps	320(%rdx), %zmm0, %zmm0
	vmovups	%zmm6, (%rdx)
	vmovups	%zmm5, 64(%rdx)
	vmovups	%zmm4, 128(%rdx)
	vmovups	%zmm3, 192(%rdx)
	vmovups	%zmm1, 256(%rdx)
.L4448:
	subq	$-128, %rax
	addq	$8192, %rsi
	vmovups	%zmm0, 320(%rdx)
	addq	$1536, %r12
	cmpq	%rax, %rdi
	jle	.L4398
	kxorb	%k0, %k0, %k0
	jmp	.L4218
.L4215:
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm6, (%rdx)
	vmovups	%zmm5, 64(%rdx)
	vmovups	%zmm4, 128(%rdx)
	vmovups	%zmm3, 192(%rdx)
	vmovups	%zmm1, 256(%rdx)
	jmp	.L4448
.L4464:
	movq	%r9, 136(%rsp)
	xorl	%ebx, %ebx
	movq	%rsi, %r14
	kmovb	%r15d, %k0
.L4212:
	movq	%rbx, %rsi
	movq	%rbx, %rax
	movq	%rdi, %r12
	movl	$128, %r9d
	salq	$6, %rsi
	salq	$4, %rax
	subq	%rbx, %r12
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rsi
	addq	%rcx, %rax
	cmpq	%r9, %r12
	cmovg	%r9, %r12
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %r12
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%r12,%r14), %r9
	vmovaps	%zmm4, %zmm11
	movq	%r14, %r12
.L4208:
	prefetcht1	(%r12)
	addq	$64, %r12
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rsi), %zmm1
	vcvtph2ps	32(%rsi), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	addq	$64, %rsi
	addq	$16, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r9, %r12
	jne	.L4208
	kortestb	%k0, %k0
	jne	.L4209
	vaddps	(%rdx), %zmm11, %zmm11
	vaddps	64(%rdx), %zmm10, %zmm10
	vaddps	128(%rdx), %zmm9, %zmm9
	vaddps	192(%rdx), %zmm8, %zmm8
	vaddps	256(%rdx), %zmm7, %zmm7
	vaddps	320(%rdx), %zmm6, %zmm6
	vaddps	384(%rdx), %zmm5, %zmm5
	vmovups	%zmm11, (%rdx)
	vaddps	448(%rdx), %zmm4, %zmm4
	vmovups	%zmm10, 64(%rdx)
	vmovups	%zmm9, 128(%rdx)
	vmovups	%zmm8, 192(%rdx)
	vmovups	%zmm7, 256(%rdx)
	vmovups	%zmm6, 320(%rdx)
	vmovups	%zmm5, 384(%rdx)
.L4446:
	subq	$-128, %rbx
	addq	$8192, %r14
	vmovups	%zmm4, 448(%rdx)
	cmpq	%rbx, %rdi
	jle	.L4397
	kxorb	%k0, %k0, %k0
	jmp	.L4212
.L4209:
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm11, (%rdx)
	vmovups	%zmm10, 64(%rdx)
	vmovups	%zmm9, 128(%rdx)
	vmovups	%zmm8, 192(%rdx)
	vmovups	%zmm7, 256(%rdx)
	vmovups	%zmm6, 320(%rdx)
	vmovups	%zmm5, 384(%rdx)
	jmp	.L4446
.L4398:
	vmovq	%xmm14, %r11
	jmp	.L4066
.L4234:
	xorl	%r8d, %r8d
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %rbx
	vpxor	%xmm0, %xmm0, %xmm0
	testq	%rsi, %rsi
	jg	.L4238
	jmp	.L4423
	.p2align 4,,10
	.p2align 3
.L4257:
	movq	224(%rsp), %rax
	movq	96(%rax), %r12
	movq	232(%rsp), %rax
.L4238:
	movq	%r14, %rcx
	movl	$16, %esi
	movq	%rdx, %rdi
	vmovdqu8	%zmm0, 160(%rsp)
	subq	%r8, %rcx
	cmpq	%rsi, %rcx
	cmovg	%rsi, %rcx
	addq	%r8, %rax
	leaq	(%r12,%rax,4), %rsi
	leaq	0(,%rcx,4), %r9
	cmpl	$8, %r9d
	jb	.L4253
	movl	%r9d, %ecx
	shrl	$3, %ecx
	rep movsq
.L4253:
	andl	$4, %r9d
	je	.L4256
	movl	(%rsi), %eax
	movl	%eax, (%rdi)
.L4256:
	vmovups	160(%rsp), %zmm7
	vmovups	%zmm7, 24(%rbx,%r8,4)
	movq	240(%rsp), %r14
	addq	$16, %r8
	cmpq	%r8, %r14
	jg	.L4257
	movq	224(%rsp), %rcx
	jmp	.L4232
.L4261:
	testq	%rax, %rax
	jle	.L4264
	leaq	-1(%r14), %rax
	movq	232(%rsp), %rdx
	movq	%r13, 96(%rsp)
	xorl	%r12d, %r12d
	movq	%r13, 152(%rsp)
	leaq	0(,%r14,4), %rsi
	movq	%rax, 136(%rsp)
	movq	%r15, 120(%rsp)
	movq	%r12, %r15
	movq	%r14, %r12
	movq	%rdx, %r14
.L4278:
	movq	(%r10), %rax
	movq	40(%rcx), %rdi
	movq	120(%rcx), %r9
	addq	%r15, %rax
	testq	%rdi, %rdi
	je	.L4276
	movq	(%rdi,%rax,8), %rax
.L4276:
	imulq	72(%rcx), %rax
	addq	%r14, %rax
	leaq	(%r9,%rax,4), %rdi
	testq	%r12, %r12
	jle	.L4284
	leaq	(%rdi,%rsi), %r9
	movq	%r15, 88(%rsp)
	movl	$15, %ebx
	movq	136(%rsp), %r13
	leaq	160(%rsp), %rax
	movq	%rsi, 80(%rsp)
	movq	%r9, %r15
	andq	$-16, %r13
	movq	%rax, 144(%rsp)
	addq	$31, %r13
	jmp	.L4283
.L4484:
	addq	$16, %rbx
	vmovups	%zmm0, (%rdi)
	addq	$64, %rdi
	cmpq	%rbx, %r13
	je	.L4483
.L4283:
	movq	152(%rsp), %rax
	cmpq	$0, 112(%rcx)
	vmovups	-60(%rax,%rbx,4), %zmm0
	je	.L4279
	vmulps	316(%rsp,%rbx,4), %zmm0, %zmm0
.L4279:
	cmpq	$0, 96(%rcx)
	je	.L4280
	vaddps	188(%rsp,%rbx,4), %zmm0, %zmm0
.L4280:
	cmpq	%rbx, %r12
	jg	.L4484
	movq	%r10, 56(%rsp)
	movq	144(%rsp), %rsi
	movq	%r15, %rdx
	movq	%r11, 64(%rsp)
	subq	%rdi, %rdx
	movq	%rcx, 72(%rsp)
	vmovups	%zmm0, 160(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %rbx
	movq	56(%rsp), %r10
	movq	%rax, %rdi
	movq	64(%rsp), %r11
	movq	72(%rsp), %rcx
	vxorps	%xmm2, %xmm2, %xmm2
	addq	$64, %rdi
	cmpq	%rbx, %r13
	jne	.L4283
.L4483:
	movq	88(%rsp), %r15
	movq	80(%rsp), %rsi
.L4284:
	subq	$-128, 152(%rsp)
	addq	$1, %r15
	cmpq	8(%r10), %r15
	jl	.L4278
	movq	120(%rsp), %r15
	movq	96(%rsp), %r13
	jmp	.L4264
.L4260:
	testq	%rax, %rax
	jle	.L4264
	leaq	-1(%r14), %rax
	movq	%r13, 96(%rsp)
	xorl	%r12d, %r12d
	leaq	(%r14,%r14), %rsi
	movq	%r13, 152(%rsp)
	movq	232(%rsp), %rdx
	movq	%rax, 136(%rsp)
	movq	%r15, 120(%rsp)
	movq	%r12, %r15
	movq	%r14, %r12
	movq	%rsi, %r14
.L4268:
	movq	(%r10), %rax
	movq	40(%rcx), %rdi
	movq	120(%rcx), %r9
	addq	%r15, %rax
	testq	%rdi, %rdi
	je	.L4266
	movq	(%rdi,%rax,8), %rax
.L4266:
	imulq	72(%rcx), %rax
	addq	%rdx, %rax
	leaq	(%r9,%rax,2), %rdi
	testq	%r12, %r12
	jle	.L4274
	leaq	(%rdi,%r14), %r9
	movq	%r15, 88(%rsp)
	movl	$15, %ebx
	movq	136(%rsp), %r13
	leaq	160(%rsp), %rax
	movq	%rdx, 80(%rsp)
	movq	%r9, %r15
	andq	$-16, %r13
	movq	%rax, 144(%rsp)
	addq	$31, %r13
	jmp	.L4273
.L4486:
	addq	$16, %rbx
	vcvtps2ph	$8, %zmm0, %ymm0
	addq	$32, %rdi
	vmovdqu	%ymm0, -32(%rdi)
	cmpq	%rbx, %r13
	je	.L4485
.L4273:
	movq	152(%rsp), %rax
	cmpq	$0, 112(%rcx)
	vmovups	-60(%rax,%rbx,4), %zmm0
	je	.L4269
	vmulps	316(%rsp,%rbx,4), %zmm0, %zmm0
.L4269:
	cmpq	$0, 96(%rcx)
	je	.L4270
	vaddps	188(%rsp,%rbx,4), %zmm0, %zmm0
.L4270:
	cmpq	%rbx, %r12
	jg	.L4486
	movq	%r10, 56(%rsp)
	movq	144(%rsp), %rsi
	movq	%r15, %rdx
	vcvtps2ph	$8, %zmm0, 160(%rsp)
	movq	%r11, 64(%rsp)
	subq	%rdi, %rdx
	movq	%rcx, 72(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %rbx
	movq	56(%rsp), %r10
	movq	%rax, %rdi
	movq	64(%rsp), %r11
	movq	72(%rsp), %rcx
	vxorps	%xmm2, %xmm2, %xmm2
	addq	$32, %rdi
	cmpq	%rbx, %r13
	jne	.L4273
.L4485:
	movq	88(%rsp), %r15
	movq	80(%rsp), %rdx
.L4274:
	subq	$-128, 152(%rsp)
	addq	$1, %r15
	cmpq	8(%r10), %r15
	jl	.L4268
	movq	120(%rsp), %r15
	movq	96(%rsp), %r13
	jmp	.L4264
.L4233:
	xorl	%ecx, %ecx
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %rbx
	vpxor	%xmm0, %xmm0, %xmm0
	testq	%rsi, %rsi
	jle	.L4423
	movq	%r14, %rsi
	jmp	.L4237
.L4239:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L4242
	movl	(%rax), %edi
	movl	%edi, (%r8)
	movl	$4, %edi
.L4242:
	andl	$2, %esi
	je	.L4244
	movzwl	(%rax,%rdi), %eax
	movw	%ax, (%r8,%rdi)
.L4244:
	vcvtph2ps	160(%rsp), %zmm1
	vmovups	%zmm1, 24(%rbx,%rcx,4)
	addq	$16, %rcx
	movq	240(%rsp), %rsi
	cmpq	%rcx, %rsi
	jle	.L4421
	movq	224(%rsp), %rax
	movq	96(%rax), %r12
	movq	232(%rsp), %rax
.L4237:
	movl	$16, %edi
	subq	%rcx, %rsi
	movq	%rdx, %r8
	vmovdqa	%ymm0, 160(%rsp)
	cmpq	%rdi, %rsi
	cmovg	%rdi, %rsi
	addq	%rcx, %rax
	leaq	(%r12,%rax,2), %rdi
	addq	%rsi, %rsi
	movq	%rdi, %rax
	cmpl	$8, %esi
	jb	.L4239
	movl	%esi, %r9d
	xorl	%eax, %eax
	andl	$-8, %r9d
.L4240:
	movl	%eax, %r8d
	addl	$8, %eax
	movq	(%rdi,%r8), %r12
	movq	%r12, (%rdx,%r8)
	cmpl	%r9d, %eax
	jb	.L4240
	leaq	(%rdx,%rax), %r8
	addq	%rdi, %rax
	jmp	.L4239
.L4288:
	movq	%r11, %rcx
	jmp	.L4232
.L4467:
	movq	%r9, 96(%rsp)
	xorl	%ebx, %ebx
	xorl	%r14d, %r14d
	kmovb	%r15d, %k0
	movb	%r15b, 136(%rsp)
	movq	%r13, 88(%rsp)
	movq	%r10, %r13
	movq	%r8, %r10
	movq	%rsi, %r8
	movq	%rcx, %rsi
.L4229:
	movq	%rdi, %rax
	leaq	(%r8,%rbx), %r15
	leaq	(%r10,%rbx), %r12
	movl	$128, %ecx
	subq	%r14, %rax
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	(%rsi,%r14,4), %r9
	cmpq	%rcx, %rax
	vmovaps	%zmm0, %zmm1
	cmovg	%rcx, %rax
	addq	%r14, %rax
	leaq	(%rsi,%rax,4), %rax
.L4225:
	vpbroadcastd	(%r9), %zmm3
	addq	$4, %r9
	prefetcht1	(%r15)
	vcvtph2ps	(%r12), %zmm5
	vcvtph2ps	32(%r12), %zmm4
	addq	$64, %r15
	addq	$64, %r12
	vfmadd231ps	%zmm5, %zmm3, %zmm1
	vfmadd231ps	%zmm4, %zmm3, %zmm0
	cmpq	%r9, %rax
	jne	.L4225
	kortestb	%k0, %k0
	je	.L4487
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm1, (%rdx)
.L4452:
	subq	$-128, %r14
	vmovups	%zmm0, 64(%rdx)
	addq	$8192, %rbx
	cmpq	%r14, %rdi
	jle	.L4400
	kxorb	%k0, %k0, %k0
	jmp	.L4229
.L4487:
	vaddps	(%rdx), %zmm1, %zmm1
	vaddps	64(%rdx), %zmm0, %zmm0
	vmovups	%zmm1, (%rdx)
	jmp	.L4452
.L4466:
	movb	%r15b, 96(%rsp)
	leaq	32(%r8), %rax
	xorl	%ebx, %ebx
	xorl	%r14d, %r14d
	movq	%r13, 88(%rsp)
	vmovq	%rax, %xmm8
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, 136(%rsp)
	movq	%rsi, %r9
	movq	%rcx, %rsi
	kmovb	%r15d, %k0
.L4224:
	vmovq	%xmm8, %rax
	movl	$128, %ecx
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	(%rax,%rbx), %r12
	movq	%rdi, %rax
	leaq	(%r9,%rbx), %r15
	subq	%r14, %rax
	leaq	(%rsi,%r14,8), %r8
	vmovaps	%zmm0, %zmm1
	cmpq	%rcx, %rax
	vmovaps	%zmm0, %zmm3
	vmovaps	%zmm0, %zmm4
	cmovg	%rcx, %rax
	addq	%r14, %rax
	leaq	(%rsi,%rax,8), %rax
.L4220:
	vpbroadcastd	(%r8), %zmm6
	addq	$8, %r8
	prefetcht1	(%r15)
	addq	$64, %r12
	vcvtph2ps	-96(%r12), %zmm7
	vcvtph2ps	-64(%r12), %zmm5
	addq	$64, %r15
	vfmadd231ps	%zmm7, %zmm6, %zmm4
	vfmadd231ps	%zmm5, %zmm6, %zmm3
	vpbroadcastd	-4(%r8), %zmm6
	vfmadd231ps	%zmm7, %zmm6, %zmm1
	vfmadd231ps	%zmm5, %zmm6, %zmm0
	cmpq	%rax, %r8
	jne	.L4220
	kortestb	%k0, %k0
	jne	.L4221
	vaddps	(%rdx), %zmm4, %zmm4
	vaddps	64(%rdx), %zmm3, %zmm3
	vaddps	128(%rdx), %zmm1, %zmm1
	vaddps	192(%rdx), %zmm0, %zmm0
	vmovups	%zmm4, (%rdx)
	vmovups	%zmm3, 64(%rdx)
	vmovups	%zmm1, 128(%rdx)
.L4450:
	subq	$-128, %r14
	addq	$8192, %rbx
	vmovups	%zmm0, 192(%rdx)
	cmpq	%r14, %rdi
	jle	.L4399
	kxorb	%k0, %k0, %k0
	jmp	.L4224
.L4400:
	movq	%r10, %r8
	movq	96(%rsp), %r9
	movq	%r13, %r10
	movzbl	136(%rsp), %r15d
	movq	88(%rsp), %r13
	jmp	.L4066
.L4399:
	movq	%r10, %r9
	movzbl	96(%rsp), %r15d
	movq	%r13, %r10
	movq	136(%rsp), %r8
	movq	88(%rsp), %r13
	jmp	.L4066
.L4221:
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm4, (%rdx)
	vmovups	%zmm3, 64(%rdx)
	vmovups	%zmm1, 128(%rdx)
	jmp	.L4450
.L4423:
	movq	%r11, %rcx
	jmp	.L4236
	.cfi_endproc
.LFE7051:
	.size	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_13SingleWeightsINS0_7Float16EEEEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, .-_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_13SingleWeightsINS0_7Float16EEEEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_10IntegerDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, @function
_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_10IntegerDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc:
.LFB7039:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%r9, %r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$576, %rsp
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	cmpl	$5, 12(%rdi)
	movq	%rcx, 96(%rsp)
	movq	8(%rsi), %rcx
	movq	%rdi, 216(%rsp)
	movq	%rsi, 200(%rsp)
	movq	%rdx, 72(%rsp)
	movq	%r8, 64(%rsp)
	movq	$0, 88(%rsp)
	jne	.L4489
	movq	80(%rdi), %rdx
	leaq	62(%rdx), %rax
	addq	$31, %rdx
	cmovns	%rdx, %rax
	sarq	$5, %rax
	imulq	%rcx, %rax
	leaq	63(,%rax,8), %rcx
	movq	%rcx, %rdx
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%rcx,%rdx), %rax
	andl	$63, %eax
	subq	%rdx, %rax
	subq	%rax, %rcx
	movq	%rcx, 88(%rsp)
.L4489:
	movq	64(%rsp), %rsi
	movq	%r13, %r14
	cmpq	%rsi, 96(%rsp)
	jge	.L4783
.L4490:
	movq	216(%rsp), %rax
	movq	80(%rax), %rbx
	testq	%rbx, %rbx
	jle	.L4492
	movq	200(%rsp), %rax
	xorl	%r13d, %r13d
	vxorps	%xmm6, %xmm6, %xmm6
	movq	%r13, 192(%rsp)
	movl	16(%rax), %r15d
	movl	$16711935, %eax
	vpbroadcastd	%eax, %zmm4
.L4615:
	movq	192(%rsp), %rsi
	movq	%rbx, %r13
	movl	$512, %eax
	movq	216(%rsp), %rdi
	subq	%rsi, %r13
	cmpq	%rax, %r13
	cmovg	%rax, %r13
	movq	96(%rsp), %rax
	imulq	%rbx, %rax
	addq	%rsi, %rax
	salq	$7, %rax
	addq	48(%rdi), %rax
	movq	%rax, 208(%rsp)
	movq	%rax, %rdx
	testl	%r15d, %r15d
	jle	.L4492
	movq	%rsi, %rax
	sarq	$5, %rsi
	movq	200(%rsp), %r10
	testq	%rax, %rax
	leaq	4096(%rdx), %rax
	movq	%rsi, 80(%rsp)
	sete	128(%rsp)
	xorl	%r9d, %r9d
	movzbl	128(%rsp), %edi
	movq	%rax, 128(%rsp)
	jmp	.L4614
.L4493:
	andl	$1, %r8d
	movq	208(%rsp), %r11
	cmpl	$1, %r8d
	sbbq	%r8, %r8
	salq	$7, %rcx
	andq	$-64, %r8
	addq	%r14, %rcx
	addq	$192, %r8
	imulq	%r13, %r8
	addq	%r11, %r8
	cmpq	$10, %rax
	je	.L4811
	cmpq	$9, %rax
	je	.L4812
	cmpq	$8, %rax
	je	.L4813
	cmpq	$7, %rax
	je	.L4814
	cmpq	$6, %rax
	je	.L4815
	cmpq	$5, %rax
	je	.L4816
	cmpq	$4, %rax
	je	.L4817
	cmpq	$3, %rax
	je	.L4818
	cmpq	$2, %rax
	je	.L4819
	cmpq	$1, %rax
	je	.L4820
.L4506:
	cmpl	%r9d, %r15d
	jle	.L4821
.L4614:
	movq	8(%r10), %rsi
	movq	%r9, %rcx
	movslq	%r15d, %r12
	movl	%r9d, %r8d
	addq	$1, %r9
	movq	72(%rsp), %r11
	imulq	%rsi, %rcx
	movq	%rcx, %rax
	cqto
	idivq	%r12
	movq	%rax, %rcx
	movq	%rsi, %rax
	imulq	%r9, %rax
	movq	%rcx, %rsi
	imulq	%rbx, %rsi
	cqto
	idivq	%r12
	movq	192(%rsp), %rdx
	movq	%rbx, %r12
	subq	%rcx, %rax
	imulq	%rax, %rdx
	addq	%rsi, %rdx
	movq	88(%rsp), %rsi
	leaq	(%rsi,%rdx,4), %rsi
	leaq	62(%rbx), %rdx
	addq	%r11, %rsi
	addq	$31, %r12
	cmovns	%r12, %rdx
	movq	80(%rsp), %r12
	sarq	$5, %rdx
	imulq	%rax, %r12
	imulq	%rcx, %rdx
	addq	%r12, %rdx
	leaq	(%r11,%rdx,8), %rdx
	cmpl	$1, %r15d
	jne	.L4493
	cmpq	$10, %rax
	je	.L4822
	cmpq	$9, %rax
	je	.L4823
	cmpq	$8, %rax
	je	.L4824
	cmpq	$7, %rax
	je	.L4825
	cmpq	$6, %rax
	je	.L4826
	cmpq	$5, %rax
	je	.L4827
	cmpq	$4, %rax
	je	.L4828
	cmpq	$3, %rax
	je	.L4829
	cmpq	$2, %rax
	je	.L4830
	cmpq	$1, %rax
	jne	.L4506
	movl	$16711935, %ecx
	movq	%rsi, %rax
	movl	%edi, %r11d
	xorl	%ebx, %ebx
	movq	128(%rsp), %r8
	vpbroadcastd	%ecx, %zmm8
	movq	%r9, %rcx
	vxorps	%xmm9, %xmm9, %xmm9
	movl	%edi, %r9d
.L4553:
	movq	%r13, %rsi
	movl	$32, %edi
	movq	%rax, 112(%rsp)
	movq	%r8, %r12
	subq	%rbx, %rsi
	vpbroadcastd	4(%rdx), %zmm0
	movq	%r14, 104(%rsp)
	leaq	-4032(%r8), %r15
	cmpq	%rdi, %rsi
	movq	%rdx, %r14
	cmovg	%rdi, %rsi
	vmovdqa32	%zmm0, %zmm1
	movq	%rax, %rdi
	salq	$7, %rsi
	addq	%r8, %rsi
	movq	%rsi, 120(%rsp)
.L4549:
	movl	(%rdi), %esi
	vpandd	-64(%r15), %zmm8, %zmm7
	addq	$4, %rdi
	subq	$-128, %r15
	vpsrad	$8, -192(%r15), %zmm3
	vpandd	-128(%r15), %zmm8, %zmm5
	prefetcht0	(%r12)
	prefetcht0	64(%r12)
	movl	%esi, %eax
	movsbw	%sil, %dx
	subq	$-128, %r12
	shrl	$16, %eax
	movzwl	%dx, %edx
	vpandd	%zmm8, %zmm3, %zmm3
	cbtw
	vpsrad	$8, -128(%r15), %zmm2
	sall	$16, %eax
	orl	%edx, %eax
	movl	%esi, %edx
	sarw	$8, %si
	vpandd	%zmm8, %zmm2, %zmm2
	sarl	$24, %edx
	movzwl	%si, %esi
	vpbroadcastd	%eax, %zmm11
	sall	$16, %edx
	orl	%edx, %esi
	vpbroadcastd	%esi, %zmm10
	vpmaddwd	%zmm11, %zmm7, %zmm7
	vpmaddwd	%zmm10, %zmm3, %zmm3
	vpmaddwd	%zmm11, %zmm5, %zmm5
	vpmaddwd	%zmm10, %zmm2, %zmm2
	vpaddd	%zmm3, %zmm7, %zmm7
	vpaddd	%zmm2, %zmm5, %zmm5
	vpaddd	%zmm7, %zmm0, %zmm0
	vpaddd	%zmm5, %zmm1, %zmm1
	cmpq	%r12, 120(%rsp)
	jne	.L4549
	movq	%r14, %rdx
	movq	112(%rsp), %rax
	movq	104(%rsp), %r14
	vcvtdq2ps	%zmm0, %zmm0
	vmovss	(%rdx), %xmm2
	vbroadcastss	%xmm2, %zmm2
	testb	%r11b, %r11b
	je	.L4831
	vfmadd132ps	%zmm2, %zmm9, %zmm0
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm0, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm9, %zmm1
.L4798:
	addq	$32, %rbx
	addq	$8, %rdx
	subq	$-128, %rax
	vmovups	%zmm1, 64(%r14)
	addq	$4096, %r8
	cmpq	%rbx, %r13
	jle	.L4769
	xorl	%r11d, %r11d
	jmp	.L4553
.L4811:
	movq	%r9, 56(%rsp)
	movq	%r11, %r15
	movl	%edi, %r12d
	movq	%r8, %r11
	movq	%r14, 48(%rsp)
	xorl	%ebx, %ebx
.L4560:
	movq	%r13, %r14
	movl	$32, %eax
	vpbroadcastd	4(%rdx), %zmm16
	vpbroadcastd	12(%rdx), %zmm15
	subq	%rbx, %r14
	vpbroadcastd	20(%rdx), %zmm14
	vpbroadcastd	28(%rdx), %zmm13
	movq	%rcx, 120(%rsp)
	cmpq	%rax, %r14
	vpbroadcastd	36(%rdx), %zmm12
	vpbroadcastd	44(%rdx), %zmm11
	movq	%rbx, 112(%rsp)
	cmovg	%rax, %r14
	vpbroadcastd	52(%rdx), %zmm10
	movq	%rsi, %rax
	movl	%edi, %ebx
	vpbroadcastd	60(%rdx), %zmm9
	movq	%rdx, 104(%rsp)
	movq	%rsi, %rdi
	movq	%r15, %r9
	salq	$7, %r14
	vpbroadcastd	68(%rdx), %zmm8
	vpbroadcastd	76(%rdx), %zmm7
	movq	%r11, %rdx
	addq	%r15, %r14
	vmovdqa32	%zmm9, %zmm19
	vmovdqa32	%zmm10, %zmm20
	vmovdqa32	%zmm7, %zmm17
	vmovdqa32	%zmm8, %zmm18
	movq	%r14, %rsi
	vmovdqa32	%zmm11, %zmm21
	vmovdqa32	%zmm12, %zmm22
	vmovdqa32	%zmm13, %zmm23
	vmovdqa32	%zmm14, %zmm24
	vmovdqa32	%zmm15, %zmm25
	vmovdqa32	%zmm16, %zmm26
	.p2align 4,,10
	.p2align 3
.L4556:
	movl	(%rax), %ecx
	vpsrad	$8, (%r9), %zmm1
	prefetcht1	(%rdx)
	vpsrad	$8, 64(%r9), %zmm0
	vpandd	(%r9), %zmm4, %zmm2
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpandd	64(%r9), %zmm4, %zmm5
	shrl	$16, %r8d
	vpandd	%zmm4, %zmm1, %zmm1
	vpandd	%zmm4, %zmm0, %zmm0
	movzwl	%r14w, %r14d
	movsbw	%r8b, %r8w
	sall	$16, %r8d
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %r14d
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	4(%rax), %ecx
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpmaddwd	%zmm27, %zmm1, %zmm29
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	movsbw	%r8b, %r8w
	sall	$16, %r8d
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	sall	$16, %r14d
	orl	%r14d, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm27, %zmm0, %zmm27
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm29, %zmm28, %zmm28
	vpaddd	%zmm27, %zmm3, %zmm3
	vpbroadcastd	%ecx, %zmm27
	movl	8(%rax), %ecx
	vpaddd	%zmm28, %zmm16, %zmm16
	vpaddd	%zmm3, %zmm26, %zmm26
	vpbroadcastd	%r8d, %zmm3
	vpmaddwd	%zmm27, %zmm1, %zmm29
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpmaddwd	%zmm3, %zmm2, %zmm28
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movsbw	%r8b, %r8w
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r8d
	vpaddd	%zmm27, %zmm3, %zmm3
	vpaddd	%zmm28, %zmm15, %zmm15
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	vpaddd	%zmm3, %zmm25, %zmm25
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %r14d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	12(%rax), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	vpaddd	%zmm3, %zmm24, %zmm24
	movsbw	%r8b, %r8w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r8d
	vpaddd	%zmm28, %zmm14, %zmm14
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %r14d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	16(%rax), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	vpaddd	%zmm3, %zmm23, %zmm23
	movsbw	%r8b, %r8w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r8d
	vpaddd	%zmm28, %zmm13, %zmm13
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %r14d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	20(%rax), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	vpaddd	%zmm3, %zmm22, %zmm22
	movsbw	%r8b, %r8w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r8d
	vpaddd	%zmm28, %zmm12, %zmm12
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %r14d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	24(%rax), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	vpaddd	%zmm3, %zmm21, %zmm21
	movsbw	%r8b, %r8w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r8d
	vpaddd	%zmm28, %zmm11, %zmm11
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %r14d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	28(%rax), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	vpaddd	%zmm3, %zmm20, %zmm20
	movsbw	%r8b, %r8w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r8d
	vpaddd	%zmm28, %zmm10, %zmm10
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %r14d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	32(%rax), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	vpaddd	%zmm3, %zmm19, %zmm19
	movsbw	%r8b, %r8w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r8d
	vpaddd	%zmm28, %zmm9, %zmm9
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarl	$24, %r14d
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %r14d
	sarw	$8, %cx
	subq	$-128, %r9
	addq	$64, %rdx
	movzwl	%cx, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	addq	$40, %rax
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	-4(%rax), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r8d
	movsbw	%cl, %r14w
	vpaddd	%zmm29, %zmm28, %zmm28
	shrl	$16, %r8d
	movzwl	%r14w, %r14d
	vpaddd	%zmm27, %zmm3, %zmm3
	movsbw	%r8b, %r8w
	vpaddd	%zmm28, %zmm8, %zmm8
	vpaddd	%zmm3, %zmm18, %zmm18
	sall	$16, %r8d
	orl	%r14d, %r8d
	movl	%ecx, %r14d
	sarw	$8, %cx
	sarl	$24, %r14d
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm28
	sall	$16, %r14d
	vpmaddwd	%zmm28, %zmm2, %zmm2
	orl	%r14d, %ecx
	vpbroadcastd	%ecx, %zmm27
	vpmaddwd	%zmm27, %zmm1, %zmm3
	vpmaddwd	%zmm27, %zmm0, %zmm0
	vpmaddwd	%zmm28, %zmm5, %zmm1
	vpaddd	%zmm3, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm17, %zmm17
	cmpq	%rsi, %r9
	jne	.L4556
	movq	104(%rsp), %rdx
	movq	%rdi, %rsi
	movl	%ebx, %edi
	movq	120(%rsp), %rcx
	movq	112(%rsp), %rbx
	vcvtdq2ps	%zmm16, %zmm16
	vmovss	(%rdx), %xmm0
	vbroadcastss	%xmm0, %zmm0
	testb	%r12b, %r12b
	jne	.L4557
	vfmadd213ps	(%rcx), %zmm0, %zmm16
	vmovups	64(%rcx), %zmm5
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm16, (%rcx)
	vcvtdq2ps	%zmm17, %zmm17
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm26
	vmovups	128(%rcx), %zmm5
	vmovups	%zmm26, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm15
	vmovups	192(%rcx), %zmm5
	vmovups	%zmm15, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm25
	vmovups	256(%rcx), %zmm5
	vmovups	%zmm25, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm14
	vmovups	320(%rcx), %zmm5
	vmovups	%zmm14, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm24
	vmovups	384(%rcx), %zmm5
	vmovups	%zmm24, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm13
	vmovups	448(%rcx), %zmm5
	vmovups	%zmm13, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm23
	vmovups	512(%rcx), %zmm5
	vmovups	%zmm23, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm12
	vmovups	576(%rcx), %zmm5
	vmovups	%zmm12, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm22
	vmovups	640(%rcx), %zmm5
	vmovups	%zmm22, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm11
	vmovups	%zmm11, 640(%rcx)
	vmovups	704(%rcx), %zmm5
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm21
	vmovups	768(%rcx), %zmm5
	vmovups	%zmm21, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm5, %zmm10
	vmovups	832(%rcx), %zmm5
	vmovups	%zmm10, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm5, %zmm20
	vmovups	896(%rcx), %zmm5
	vmovups	%zmm20, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm5, %zmm9
	vmovups	960(%rcx), %zmm5
	vmovups	%zmm9, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm5, %zmm19
	vmovups	1024(%rcx), %zmm5
	vmovups	%zmm19, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm5, %zmm8
	vmovups	1088(%rcx), %zmm5
	vmovups	%zmm8, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm5, %zmm18
	vmovups	1152(%rcx), %zmm5
	vmovups	%zmm18, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 1152(%rcx)
	vmovups	1216(%rcx), %zmm7
	vfmadd132ps	72(%rdx){1to16}, %zmm7, %zmm17
.L4799:
	addq	$32, %rbx
	addq	$80, %rdx
	vmovups	%zmm17, 1216(%rcx)
	addq	$4096, %r15
	addq	$2048, %r11
	addq	$1280, %rsi
	cmpq	%rbx, %r13
	jle	.L4770
	xorl	%r12d, %r12d
	jmp	.L4560
.L4557:
	vfmadd132ps	%zmm0, %zmm6, %zmm16
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm17, %zmm17
	vmovups	%zmm16, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm26
	vmovups	%zmm26, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm15
	vmovups	%zmm15, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm25
	vmovups	%zmm25, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm14
	vmovups	%zmm14, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm24
	vmovups	%zmm24, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm23
	vmovups	%zmm23, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm22
	vmovups	%zmm22, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm21
	vmovups	%zmm21, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm20
	vmovups	%zmm20, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm6, %zmm19
	vmovups	%zmm19, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm6, %zmm17
	jmp	.L4799
.L4770:
	movq	56(%rsp), %r9
	movq	48(%rsp), %r14
.L4786:
	movq	216(%rsp), %rax
	movl	16(%r10), %r15d
	movq	80(%rax), %rbx
	cmpl	%r9d, %r15d
	jg	.L4614
.L4821:
	addq	$512, 192(%rsp)
	movq	192(%rsp), %rax
	cmpq	%rbx, %rax
	jl	.L4615
.L4492:
	movq	216(%rsp), %rsi
	movq	96(%rsp), %rax
	movl	$32, %r13d
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%zmm0, 312(%rsp)
	movq	72(%rsi), %rdi
	salq	$5, %rax
	movq	96(%rsi), %r10
	movq	%rsi, 288(%rsp)
	movq	%rax, 296(%rsp)
	movq	%rdi, %rcx
	movq	%rdi, 208(%rsp)
	vmovdqu8	%zmm0, 376(%rsp)
	subq	%rax, %rcx
	vmovdqu8	%zmm0, 440(%rsp)
	cmpq	%r13, %rcx
	vmovdqu8	%zmm0, 504(%rsp)
	cmovle	%rcx, %r13
	movq	%r13, 304(%rsp)
	testq	%r10, %r10
	je	.L4680
	movl	104(%rsi), %edx
	cmpl	$1, %edx
	je	.L4617
	cmpl	$2, %edx
	jne	.L4618
	xorl	%esi, %esi
	leaq	224(%rsp), %rdx
	leaq	288(%rsp), %r11
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%rcx, %rcx
	jle	.L4788
	movq	%r13, %rcx
	jmp	.L4619
.L4630:
	xorl	%edi, %edi
	testb	$4, %cl
	je	.L4633
	movl	(%rax), %edi
	movl	%edi, (%r8)
	movl	$4, %edi
.L4633:
	andl	$2, %ecx
	je	.L4635
	movzwl	(%rax,%rdi), %eax
	movw	%ax, (%r8,%rdi)
.L4635:
	vpmovzxwd	224(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovups	%zmm0, 24(%r11,%rsi,4)
	movq	304(%rsp), %rcx
	addq	$16, %rsi
	cmpq	%rsi, %rcx
	jle	.L4787
	movq	288(%rsp), %rax
	movq	96(%rax), %r10
	movq	296(%rsp), %rax
.L4619:
	movl	$16, %edi
	subq	%rsi, %rcx
	movq	%rdx, %r8
	vmovdqa	%ymm1, 224(%rsp)
	cmpq	%rdi, %rcx
	cmovg	%rdi, %rcx
	addq	%rsi, %rax
	leaq	(%r10,%rax,2), %rdi
	addq	%rcx, %rcx
	movq	%rdi, %rax
	cmpl	$8, %ecx
	jb	.L4630
	movl	%ecx, %r9d
	xorl	%eax, %eax
	andl	$-8, %r9d
.L4631:
	movl	%eax, %r8d
	addl	$8, %eax
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r9d, %eax
	jb	.L4631
	leaq	(%rdx,%rax), %r8
	addq	%rdi, %rax
	jmp	.L4630
.L4812:
	movq	%rsi, %rax
	kmovb	%edi, %k0
	movq	%rdx, %r12
	movq	%r8, %r15
	movb	%dil, 56(%rsp)
	xorl	%esi, %esi
	movq	%rax, %rdi
	movq	%r9, %rdx
	movq	%r14, 48(%rsp)
	kmovb	%k0, %r14d
.L4566:
	movq	%r13, %rbx
	movl	$32, %eax
	vpbroadcastd	4(%r12), %zmm15
	vpbroadcastd	12(%r12), %zmm14
	subq	%rsi, %rbx
	vpbroadcastd	20(%r12), %zmm13
	vpbroadcastd	28(%r12), %zmm12
	movq	%rcx, 120(%rsp)
	cmpq	%rax, %rbx
	vpbroadcastd	36(%r12), %zmm11
	vpbroadcastd	44(%r12), %zmm10
	movq	%r11, %r8
	cmovg	%rax, %rbx
	movq	%r12, 112(%rsp)
	movq	%rdi, %rax
	vpbroadcastd	52(%r12), %zmm9
	vpbroadcastd	60(%r12), %zmm8
	movq	%rsi, 104(%rsp)
	movq	%r8, %r9
	vmovdqa32	%zmm10, %zmm19
	salq	$7, %rbx
	vpbroadcastd	68(%r12), %zmm7
	movq	%r11, %r12
	vmovdqa32	%zmm9, %zmm18
	addq	%r11, %rbx
	vmovdqa32	%zmm8, %zmm17
	movq	%rdi, %r11
	movq	%rdx, %rdi
	vmovdqa32	%zmm7, %zmm16
	vmovdqa32	%zmm11, %zmm20
	movq	%r15, %rdx
	movq	%rbx, %rsi
	vmovdqa32	%zmm12, %zmm21
	vmovdqa32	%zmm13, %zmm22
	vmovdqa32	%zmm14, %zmm23
	vmovdqa32	%zmm15, %zmm24
	.p2align 4,,10
	.p2align 3
.L4562:
	movl	(%rax), %ecx
	vpsrad	$8, (%r9), %zmm1
	prefetcht1	(%rdx)
	vpsrad	$8, 64(%r9), %zmm0
	vpandd	(%r9), %zmm4, %zmm2
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpandd	64(%r9), %zmm4, %zmm5
	shrl	$16, %r8d
	vpandd	%zmm4, %zmm1, %zmm1
	vpandd	%zmm4, %zmm0, %zmm0
	movzwl	%bx, %ebx
	movsbw	%r8b, %r8w
	sall	$16, %r8d
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %ebx
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm25
	movl	4(%rax), %ecx
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpmaddwd	%zmm25, %zmm1, %zmm27
	shrl	$16, %r8d
	movzwl	%bx, %ebx
	movsbw	%r8b, %r8w
	sall	$16, %r8d
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	sall	$16, %ebx
	orl	%ebx, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm26
	vpmaddwd	%zmm25, %zmm0, %zmm25
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm27, %zmm26, %zmm26
	vpaddd	%zmm25, %zmm3, %zmm3
	vpbroadcastd	%ecx, %zmm25
	movl	8(%rax), %ecx
	vpaddd	%zmm26, %zmm15, %zmm15
	vpaddd	%zmm3, %zmm24, %zmm24
	vpbroadcastd	%r8d, %zmm3
	vpmaddwd	%zmm25, %zmm1, %zmm27
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpmaddwd	%zmm3, %zmm2, %zmm26
	shrl	$16, %r8d
	movzwl	%bx, %ebx
	vpmaddwd	%zmm25, %zmm0, %zmm25
	movsbw	%r8b, %r8w
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %r8d
	vpaddd	%zmm25, %zmm3, %zmm3
	vpaddd	%zmm26, %zmm14, %zmm14
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarw	$8, %cx
	vpaddd	%zmm3, %zmm23, %zmm23
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm26
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm25
	movl	12(%rax), %ecx
	vpmaddwd	%zmm25, %zmm1, %zmm27
	vpmaddwd	%zmm25, %zmm0, %zmm25
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpaddd	%zmm25, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm22, %zmm22
	movsbw	%r8b, %r8w
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %r8d
	vpaddd	%zmm26, %zmm13, %zmm13
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm26
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm25
	movl	16(%rax), %ecx
	vpmaddwd	%zmm25, %zmm1, %zmm27
	vpmaddwd	%zmm25, %zmm0, %zmm25
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpaddd	%zmm25, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm21, %zmm21
	movsbw	%r8b, %r8w
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %r8d
	vpaddd	%zmm26, %zmm12, %zmm12
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm26
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm25
	movl	20(%rax), %ecx
	vpmaddwd	%zmm25, %zmm1, %zmm27
	vpmaddwd	%zmm25, %zmm0, %zmm25
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpaddd	%zmm25, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm20, %zmm20
	movsbw	%r8b, %r8w
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %r8d
	vpaddd	%zmm26, %zmm11, %zmm11
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm26
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm25
	movl	24(%rax), %ecx
	vpmaddwd	%zmm25, %zmm1, %zmm27
	vpmaddwd	%zmm25, %zmm0, %zmm25
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpaddd	%zmm25, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm19, %zmm19
	movsbw	%r8b, %r8w
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %r8d
	vpaddd	%zmm26, %zmm10, %zmm10
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm26
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm25
	movl	28(%rax), %ecx
	vpmaddwd	%zmm25, %zmm1, %zmm27
	vpmaddwd	%zmm25, %zmm0, %zmm25
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpaddd	%zmm25, %zmm3, %zmm3
	shrl	$16, %r8d
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm18, %zmm18
	movsbw	%r8b, %r8w
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %r8d
	vpaddd	%zmm26, %zmm9, %zmm9
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%r8d, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm26
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm25
	movl	32(%rax), %ecx
	vpmaddwd	%zmm25, %zmm1, %zmm27
	vpmaddwd	%zmm25, %zmm0, %zmm25
	movl	%ecx, %r8d
	movsbw	%cl, %bx
	vpaddd	%zmm27, %zmm26, %zmm26
	shrl	$16, %r8d
	movzwl	%bx, %ebx
	vpaddd	%zmm25, %zmm3, %zmm3
	movsbw	%r8b, %r8w
	vpaddd	%zmm26, %zmm8, %zmm8
	vpaddd	%zmm3, %zmm17, %zmm17
	sall	$16, %r8d
	orl	%ebx, %r8d
	movl	%ecx, %ebx
	sarl	$24, %ebx
	vpbroadcastd	%r8d, %zmm26
	sall	$16, %ebx
	sarw	$8, %cx
	subq	$-128, %r9
	addq	$64, %rdx
	movzwl	%cx, %ecx
	vpmaddwd	%zmm26, %zmm2, %zmm2
	addq	$36, %rax
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm25
	vpmaddwd	%zmm25, %zmm1, %zmm3
	vpmaddwd	%zmm25, %zmm0, %zmm0
	vpmaddwd	%zmm26, %zmm5, %zmm1
	vpaddd	%zmm3, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm16, %zmm16
	cmpq	%rsi, %r9
	jne	.L4562
	movq	%rdi, %rdx
	movq	%r11, %rdi
	movq	%r12, %r11
	movq	112(%rsp), %r12
	movq	120(%rsp), %rcx
	movq	104(%rsp), %rsi
	vcvtdq2ps	%zmm15, %zmm15
	vmovss	(%r12), %xmm0
	vbroadcastss	%xmm0, %zmm0
	testb	%r14b, %r14b
	jne	.L4563
	vfmadd213ps	(%rcx), %zmm0, %zmm15
	vmovups	64(%rcx), %zmm5
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm16, %zmm16
	vmovups	%zmm15, (%rcx)
	vfmadd132ps	(%r12){1to16}, %zmm5, %zmm24
	vmovups	128(%rcx), %zmm5
	vmovups	%zmm24, 64(%rcx)
	vfmadd132ps	8(%r12){1to16}, %zmm5, %zmm14
	vmovups	192(%rcx), %zmm5
	vmovups	%zmm14, 128(%rcx)
	vfmadd132ps	8(%r12){1to16}, %zmm5, %zmm23
	vmovups	256(%rcx), %zmm5
	vmovups	%zmm23, 192(%rcx)
	vfmadd132ps	16(%r12){1to16}, %zmm5, %zmm13
	vmovups	320(%rcx), %zmm5
	vmovups	%zmm13, 256(%rcx)
	vfmadd132ps	16(%r12){1to16}, %zmm5, %zmm22
	vmovups	384(%rcx), %zmm5
	vmovups	%zmm22, 320(%rcx)
	vfmadd132ps	24(%r12){1to16}, %zmm5, %zmm12
	vmovups	448(%rcx), %zmm5
	vmovups	%zmm12, 384(%rcx)
	vfmadd132ps	24(%r12){1to16}, %zmm5, %zmm21
	vmovups	512(%rcx), %zmm5
	vmovups	%zmm21, 448(%rcx)
	vfmadd132ps	32(%r12){1to16}, %zmm5, %zmm11
	vmovups	576(%rcx), %zmm5
	vmovups	%zmm11, 512(%rcx)
	vfmadd132ps	32(%r12){1to16}, %zmm5, %zmm20
	vmovups	640(%rcx), %zmm5
	vmovups	%zmm20, 576(%rcx)
	vfmadd132ps	40(%r12){1to16}, %zmm5, %zmm10
	vmovups	%zmm10, 640(%rcx)
	vmovups	704(%rcx), %zmm5
	vfmadd132ps	40(%r12){1to16}, %zmm5, %zmm19
	vmovups	768(%rcx), %zmm5
	vmovups	%zmm19, 704(%rcx)
	vfmadd132ps	48(%r12){1to16}, %zmm5, %zmm9
	vmovups	832(%rcx), %zmm5
	vmovups	%zmm9, 768(%rcx)
	vfmadd132ps	48(%r12){1to16}, %zmm5, %zmm18
	vmovups	896(%rcx), %zmm5
	vmovups	%zmm18, 832(%rcx)
	vfmadd132ps	56(%r12){1to16}, %zmm5, %zmm8
	vmovups	960(%rcx), %zmm5
	vmovups	%zmm8, 896(%rcx)
	vfmadd132ps	56(%r12){1to16}, %zmm5, %zmm17
	vmovups	1024(%rcx), %zmm5
	vmovups	%zmm17, 960(%rcx)
	vfmadd132ps	64(%r12){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 1024(%rcx)
	vmovups	1088(%rcx), %zmm7
	vfmadd132ps	64(%r12){1to16}, %zmm7, %zmm16
.L4800:
	addq	$32, %rsi
	addq	$72, %r12
	vmovups	%zmm16, 1088(%rcx)
	addq	$4096, %r11
	addq	$2048, %r15
	addq	$1152, %rdi
	cmpq	%rsi, %r13
	jle	.L4773
	xorl	%r14d, %r14d
	jmp	.L4566
.L4563:
	vfmadd132ps	%zmm0, %zmm6, %zmm15
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm16, %zmm16
	vmovups	%zmm15, (%rcx)
	vfmadd132ps	(%r12){1to16}, %zmm6, %zmm24
	vmovups	%zmm24, 64(%rcx)
	vfmadd132ps	8(%r12){1to16}, %zmm6, %zmm14
	vmovups	%zmm14, 128(%rcx)
	vfmadd132ps	8(%r12){1to16}, %zmm6, %zmm23
	vmovups	%zmm23, 192(%rcx)
	vfmadd132ps	16(%r12){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 256(%rcx)
	vfmadd132ps	16(%r12){1to16}, %zmm6, %zmm22
	vmovups	%zmm22, 320(%rcx)
	vfmadd132ps	24(%r12){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 384(%rcx)
	vfmadd132ps	24(%r12){1to16}, %zmm6, %zmm21
	vmovups	%zmm21, 448(%rcx)
	vfmadd132ps	32(%r12){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 512(%rcx)
	vfmadd132ps	32(%r12){1to16}, %zmm6, %zmm20
	vmovups	%zmm20, 576(%rcx)
	vfmadd132ps	40(%r12){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 640(%rcx)
	vfmadd132ps	40(%r12){1to16}, %zmm6, %zmm19
	vmovups	%zmm19, 704(%rcx)
	vfmadd132ps	48(%r12){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 768(%rcx)
	vfmadd132ps	48(%r12){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 832(%rcx)
	vfmadd132ps	56(%r12){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 896(%rcx)
	vfmadd132ps	56(%r12){1to16}, %zmm6, %zmm17
	vmovups	%zmm17, 960(%rcx)
	vfmadd132ps	64(%r12){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 1024(%rcx)
	vfmadd132ps	64(%r12){1to16}, %zmm6, %zmm16
	jmp	.L4800
.L4773:
	movzbl	56(%rsp), %edi
	movq	48(%rsp), %r14
	movq	%rdx, %r9
	jmp	.L4786
.L4814:
	movb	%dil, 56(%rsp)
	movq	%r11, %rax
	movq	%rsi, %r12
	movq	%r8, %r15
	movq	%r14, 48(%rsp)
	xorl	%r11d, %r11d
	movl	%edi, %esi
	movq	%rdx, 120(%rsp)
	movq	%r9, %rdx
.L4578:
	movq	120(%rsp), %rdi
	movq	%r13, %rbx
	movq	%rcx, 112(%rsp)
	movq	%r12, %r14
	subq	%r11, %rbx
	movq	%rax, 104(%rsp)
	movq	%rax, %r8
	movq	%r15, %r9
	vpbroadcastd	4(%rdi), %zmm13
	vpbroadcastd	12(%rdi), %zmm12
	vpbroadcastd	20(%rdi), %zmm11
	vpbroadcastd	28(%rdi), %zmm10
	vpbroadcastd	36(%rdi), %zmm9
	vpbroadcastd	44(%rdi), %zmm8
	vmovdqa32	%zmm12, %zmm19
	vmovdqa32	%zmm13, %zmm20
	vpbroadcastd	52(%rdi), %zmm7
	movl	$32, %edi
	vmovdqa32	%zmm10, %zmm17
	vmovdqa32	%zmm11, %zmm18
	cmpq	%rdi, %rbx
	vmovdqa32	%zmm8, %zmm15
	vmovdqa32	%zmm9, %zmm16
	cmovg	%rdi, %rbx
	vmovdqa32	%zmm7, %zmm14
	movq	%r12, %rdi
	movq	%r11, %r12
	movq	%rdx, %r11
	salq	$7, %rbx
	addq	%rax, %rbx
	.p2align 4,,10
	.p2align 3
.L4574:
	movl	(%rdi), %eax
	vpsrad	$8, (%r8), %zmm1
	prefetcht1	(%r9)
	vpsrad	$8, 64(%r8), %zmm0
	vpandd	(%r8), %zmm4, %zmm2
	movl	%eax, %edx
	vpandd	64(%r8), %zmm4, %zmm5
	vpandd	%zmm4, %zmm1, %zmm1
	movsbw	%al, %cx
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpandd	%zmm4, %zmm0, %zmm0
	movsbw	%dl, %dx
	sall	$16, %edx
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm3
	sall	$16, %ecx
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm21
	movl	4(%rdi), %eax
	movl	%eax, %edx
	movsbw	%al, %cx
	vpmaddwd	%zmm21, %zmm1, %zmm23
	shrl	$16, %edx
	movzwl	%cx, %ecx
	movsbw	%dl, %dx
	sall	$16, %edx
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	sall	$16, %ecx
	orl	%ecx, %eax
	vpmaddwd	%zmm3, %zmm2, %zmm22
	vpmaddwd	%zmm21, %zmm0, %zmm21
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm23, %zmm22, %zmm22
	vpaddd	%zmm21, %zmm3, %zmm3
	vpbroadcastd	%eax, %zmm21
	movl	8(%rdi), %eax
	vpaddd	%zmm22, %zmm13, %zmm13
	vpaddd	%zmm3, %zmm20, %zmm20
	vpbroadcastd	%edx, %zmm3
	vpmaddwd	%zmm21, %zmm1, %zmm23
	movl	%eax, %edx
	movsbw	%al, %cx
	vpmaddwd	%zmm3, %zmm2, %zmm22
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpmaddwd	%zmm21, %zmm0, %zmm21
	movsbw	%dl, %dx
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm23, %zmm22, %zmm22
	sall	$16, %edx
	vpaddd	%zmm21, %zmm3, %zmm3
	vpaddd	%zmm22, %zmm12, %zmm12
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	vpaddd	%zmm3, %zmm19, %zmm19
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm3
	sall	$16, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm22
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm21
	movl	12(%rdi), %eax
	vpmaddwd	%zmm21, %zmm1, %zmm23
	vpmaddwd	%zmm21, %zmm0, %zmm21
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm21, %zmm3, %zmm3
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm3, %zmm18, %zmm18
	movsbw	%dl, %dx
	vpaddd	%zmm23, %zmm22, %zmm22
	sall	$16, %edx
	vpaddd	%zmm22, %zmm11, %zmm11
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm3
	sall	$16, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm22
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm21
	movl	16(%rdi), %eax
	vpmaddwd	%zmm21, %zmm1, %zmm23
	vpmaddwd	%zmm21, %zmm0, %zmm21
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm21, %zmm3, %zmm3
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm3, %zmm17, %zmm17
	subq	$-128, %r8
	movsbw	%dl, %dx
	vpaddd	%zmm23, %zmm22, %zmm22
	addq	$64, %r9
	addq	$28, %rdi
	sall	$16, %edx
	vpaddd	%zmm22, %zmm10, %zmm10
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm3
	sall	$16, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm22
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm21
	movl	-8(%rdi), %eax
	vpmaddwd	%zmm21, %zmm1, %zmm23
	vpmaddwd	%zmm21, %zmm0, %zmm21
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm21, %zmm3, %zmm3
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm3, %zmm16, %zmm16
	movsbw	%dl, %dx
	vpaddd	%zmm23, %zmm22, %zmm22
	sall	$16, %edx
	vpaddd	%zmm22, %zmm9, %zmm9
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm3
	sall	$16, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm22
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ecx, %eax
	movl	-4(%rdi), %ecx
	vpbroadcastd	%eax, %zmm21
	movl	%ecx, %eax
	movsbw	%cl, %dx
	vpmaddwd	%zmm21, %zmm1, %zmm23
	shrl	$16, %eax
	movzwl	%dx, %edx
	vpmaddwd	%zmm21, %zmm0, %zmm21
	cbtw
	vpaddd	%zmm23, %zmm22, %zmm22
	vpaddd	%zmm21, %zmm3, %zmm3
	sall	$16, %eax
	vpaddd	%zmm22, %zmm8, %zmm8
	vpaddd	%zmm3, %zmm15, %zmm15
	orl	%edx, %eax
	movl	%ecx, %edx
	sarw	$8, %cx
	sarl	$24, %edx
	movzwl	%cx, %ecx
	vpbroadcastd	%eax, %zmm22
	sall	$16, %edx
	vpmaddwd	%zmm22, %zmm2, %zmm2
	orl	%edx, %ecx
	vpbroadcastd	%ecx, %zmm21
	vpmaddwd	%zmm21, %zmm1, %zmm3
	vpmaddwd	%zmm21, %zmm0, %zmm0
	vpmaddwd	%zmm22, %zmm5, %zmm1
	vpaddd	%zmm3, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm14, %zmm14
	cmpq	%rbx, %r8
	jne	.L4574
	movq	120(%rsp), %rdi
	movq	%r11, %rdx
	movq	112(%rsp), %rcx
	movq	%r12, %r11
	movq	104(%rsp), %rax
	movq	%r14, %r12
	vmovss	(%rdi), %xmm0
	testb	%sil, %sil
	jne	.L4575
	vbroadcastss	%xmm0, %zmm0
	vcvtdq2ps	%zmm13, %zmm13
	vfmadd213ps	(%rcx), %zmm0, %zmm13
	vmovups	64(%rcx), %zmm5
	movq	%rdi, %rsi
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm14, %zmm14
	vmovups	%zmm13, (%rcx)
	vfmadd132ps	(%rsi){1to16}, %zmm5, %zmm20
	vmovups	128(%rcx), %zmm5
	vmovups	%zmm20, 64(%rcx)
	vfmadd132ps	8(%rsi){1to16}, %zmm5, %zmm12
	vmovups	192(%rcx), %zmm5
	vmovups	%zmm12, 128(%rcx)
	vfmadd132ps	8(%rsi){1to16}, %zmm5, %zmm19
	vmovups	256(%rcx), %zmm5
	vmovups	%zmm19, 192(%rcx)
	vfmadd132ps	16(%rsi){1to16}, %zmm5, %zmm11
	vmovups	320(%rcx), %zmm5
	vmovups	%zmm11, 256(%rcx)
	vfmadd132ps	16(%rsi){1to16}, %zmm5, %zmm18
	vmovups	384(%rcx), %zmm5
	vmovups	%zmm18, 320(%rcx)
	vfmadd132ps	24(%rsi){1to16}, %zmm5, %zmm10
	vmovups	448(%rcx), %zmm5
	vmovups	%zmm10, 384(%rcx)
	vfmadd132ps	24(%rsi){1to16}, %zmm5, %zmm17
	vmovups	512(%rcx), %zmm5
	vmovups	%zmm17, 448(%rcx)
	vfmadd132ps	32(%rsi){1to16}, %zmm5, %zmm9
	vmovups	576(%rcx), %zmm5
	vmovups	%zmm9, 512(%rcx)
	vfmadd132ps	32(%rsi){1to16}, %zmm5, %zmm16
	vmovups	640(%rcx), %zmm5
	vmovups	%zmm16, 576(%rcx)
	vfmadd132ps	40(%rsi){1to16}, %zmm5, %zmm8
	vmovups	%zmm8, 640(%rcx)
	vmovups	704(%rcx), %zmm5
	vfmadd132ps	40(%rsi){1to16}, %zmm5, %zmm15
	vmovups	768(%rcx), %zmm5
	vmovups	%zmm15, 704(%rcx)
	vfmadd132ps	48(%rsi){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 768(%rcx)
	vmovups	832(%rcx), %zmm7
	vfmadd132ps	48(%rsi){1to16}, %zmm7, %zmm14
.L4803:
	addq	$56, %rsi
	addq	$32, %r11
	vmovups	%zmm14, 832(%rcx)
	addq	$4096, %rax
	movq	%rsi, 120(%rsp)
	addq	$2048, %r15
	addq	$896, %r12
	cmpq	%r11, %r13
	jle	.L4773
	xorl	%esi, %esi
	jmp	.L4578
.L4575:
	vbroadcastss	%xmm0, %zmm0
	vcvtdq2ps	%zmm13, %zmm13
	movq	%rdi, %rsi
	vcvtdq2ps	%zmm20, %zmm20
	vfmadd132ps	%zmm0, %zmm6, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm14, %zmm14
	vmovups	%zmm13, (%rcx)
	vfmadd132ps	(%rsi){1to16}, %zmm6, %zmm20
	vmovups	%zmm20, 64(%rcx)
	vfmadd132ps	8(%rsi){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 128(%rcx)
	vfmadd132ps	8(%rsi){1to16}, %zmm6, %zmm19
	vmovups	%zmm19, 192(%rcx)
	vfmadd132ps	16(%rsi){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 256(%rcx)
	vfmadd132ps	16(%rsi){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 320(%rcx)
	vfmadd132ps	24(%rsi){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 384(%rcx)
	vfmadd132ps	24(%rsi){1to16}, %zmm6, %zmm17
	vmovups	%zmm17, 448(%rcx)
	vfmadd132ps	32(%rsi){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 512(%rcx)
	vfmadd132ps	32(%rsi){1to16}, %zmm6, %zmm16
	vmovups	%zmm16, 576(%rcx)
	vfmadd132ps	40(%rsi){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 640(%rcx)
	vfmadd132ps	40(%rsi){1to16}, %zmm6, %zmm15
	vmovups	%zmm15, 704(%rcx)
	vfmadd132ps	48(%rsi){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 768(%rcx)
	vfmadd132ps	48(%rsi){1to16}, %zmm6, %zmm14
	jmp	.L4803
.L4813:
	movb	%dil, 56(%rsp)
	movq	%r11, %rax
	movq	%rdx, %r12
	movq	%r8, %r15
	movq	%r14, 48(%rsp)
	xorl	%r11d, %r11d
	movq	%r9, %rdx
	movl	%edi, %r14d
.L4572:
	movq	%r13, %rbx
	movl	$32, %edi
	vpbroadcastd	4(%r12), %zmm14
	vpbroadcastd	12(%r12), %zmm13
	subq	%r11, %rbx
	vpbroadcastd	20(%r12), %zmm12
	vpbroadcastd	28(%r12), %zmm11
	movq	%rcx, 120(%rsp)
	cmpq	%rdi, %rbx
	vpbroadcastd	36(%r12), %zmm10
	vpbroadcastd	44(%r12), %zmm9
	movq	%rax, %r8
	cmovg	%rdi, %rbx
	vpbroadcastd	52(%r12), %zmm8
	movq	%r15, %r9
	movq	%r15, 112(%rsp)
	vpbroadcastd	60(%r12), %zmm7
	movq	%r12, 104(%rsp)
	movq	%rax, %r15
	movq	%rsi, %r12
	salq	$7, %rbx
	vmovdqa32	%zmm8, %zmm16
	vmovdqa32	%zmm9, %zmm17
	addq	%rax, %rbx
	vmovdqa32	%zmm7, %zmm15
	movq	%r9, %rax
	movq	%r8, %r9
	vmovdqa32	%zmm10, %zmm18
	movq	%rsi, %r8
	movq	%rdx, %rsi
	movq	%rbx, %rdx
	vmovdqa32	%zmm11, %zmm19
	vmovdqa32	%zmm12, %zmm20
	vmovdqa32	%zmm13, %zmm21
	vmovdqa32	%zmm14, %zmm22
	.p2align 4,,10
	.p2align 3
.L4568:
	movl	(%r8), %ecx
	vpsrad	$8, (%r9), %zmm1
	prefetcht1	(%rax)
	vpsrad	$8, 64(%r9), %zmm0
	vpandd	(%r9), %zmm4, %zmm2
	movl	%ecx, %edi
	vpandd	64(%r9), %zmm4, %zmm5
	vpandd	%zmm4, %zmm1, %zmm1
	movsbw	%cl, %bx
	shrl	$16, %edi
	movzwl	%bx, %ebx
	vpandd	%zmm4, %zmm0, %zmm0
	movsbw	%dil, %di
	sall	$16, %edi
	orl	%ebx, %edi
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%edi, %zmm3
	sall	$16, %ebx
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm23
	movl	4(%r8), %ecx
	movl	%ecx, %edi
	movsbw	%cl, %bx
	vpmaddwd	%zmm23, %zmm1, %zmm25
	shrl	$16, %edi
	movzwl	%bx, %ebx
	movsbw	%dil, %di
	sall	$16, %edi
	orl	%ebx, %edi
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	sall	$16, %ebx
	orl	%ebx, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm24
	vpmaddwd	%zmm23, %zmm0, %zmm23
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm25, %zmm24, %zmm24
	vpaddd	%zmm23, %zmm3, %zmm3
	vpbroadcastd	%ecx, %zmm23
	movl	8(%r8), %ecx
	vpaddd	%zmm24, %zmm14, %zmm14
	vpaddd	%zmm3, %zmm22, %zmm22
	vpbroadcastd	%edi, %zmm3
	vpmaddwd	%zmm23, %zmm1, %zmm25
	movl	%ecx, %edi
	movsbw	%cl, %bx
	vpmaddwd	%zmm3, %zmm2, %zmm24
	shrl	$16, %edi
	movzwl	%bx, %ebx
	vpmaddwd	%zmm23, %zmm0, %zmm23
	movsbw	%dil, %di
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %edi
	vpaddd	%zmm23, %zmm3, %zmm3
	vpaddd	%zmm24, %zmm13, %zmm13
	orl	%ebx, %edi
	movl	%ecx, %ebx
	sarw	$8, %cx
	vpaddd	%zmm3, %zmm21, %zmm21
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%edi, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm24
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm23
	movl	12(%r8), %ecx
	vpmaddwd	%zmm23, %zmm1, %zmm25
	vpmaddwd	%zmm23, %zmm0, %zmm23
	movl	%ecx, %edi
	movsbw	%cl, %bx
	vpaddd	%zmm23, %zmm3, %zmm3
	shrl	$16, %edi
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm20, %zmm20
	movsbw	%dil, %di
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %edi
	vpaddd	%zmm24, %zmm12, %zmm12
	orl	%ebx, %edi
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%edi, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm24
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm23
	movl	16(%r8), %ecx
	vpmaddwd	%zmm23, %zmm1, %zmm25
	vpmaddwd	%zmm23, %zmm0, %zmm23
	movl	%ecx, %edi
	movsbw	%cl, %bx
	vpaddd	%zmm23, %zmm3, %zmm3
	shrl	$16, %edi
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm19, %zmm19
	subq	$-128, %r9
	movsbw	%dil, %di
	vpaddd	%zmm25, %zmm24, %zmm24
	addq	$64, %rax
	addq	$32, %r8
	sall	$16, %edi
	vpaddd	%zmm24, %zmm11, %zmm11
	orl	%ebx, %edi
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%edi, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm24
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm23
	movl	-12(%r8), %ecx
	vpmaddwd	%zmm23, %zmm1, %zmm25
	vpmaddwd	%zmm23, %zmm0, %zmm23
	movl	%ecx, %edi
	movsbw	%cl, %bx
	vpaddd	%zmm23, %zmm3, %zmm3
	shrl	$16, %edi
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm18, %zmm18
	movsbw	%dil, %di
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %edi
	vpaddd	%zmm24, %zmm10, %zmm10
	orl	%ebx, %edi
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%edi, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm24
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm23
	movl	-8(%r8), %ecx
	vpmaddwd	%zmm23, %zmm1, %zmm25
	vpmaddwd	%zmm23, %zmm0, %zmm23
	movl	%ecx, %edi
	movsbw	%cl, %bx
	vpaddd	%zmm23, %zmm3, %zmm3
	shrl	$16, %edi
	movzwl	%bx, %ebx
	vpaddd	%zmm3, %zmm17, %zmm17
	movsbw	%dil, %di
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %edi
	vpaddd	%zmm24, %zmm9, %zmm9
	orl	%ebx, %edi
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%edi, %zmm3
	sall	$16, %ebx
	vpmaddwd	%zmm3, %zmm2, %zmm24
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm23
	movl	-4(%r8), %ecx
	vpmaddwd	%zmm23, %zmm1, %zmm25
	vpmaddwd	%zmm23, %zmm0, %zmm23
	movl	%ecx, %edi
	movsbw	%cl, %bx
	vpaddd	%zmm25, %zmm24, %zmm24
	shrl	$16, %edi
	movzwl	%bx, %ebx
	vpaddd	%zmm23, %zmm3, %zmm3
	movsbw	%dil, %di
	vpaddd	%zmm24, %zmm8, %zmm8
	vpaddd	%zmm3, %zmm16, %zmm16
	sall	$16, %edi
	orl	%ebx, %edi
	movl	%ecx, %ebx
	sarw	$8, %cx
	sarl	$24, %ebx
	movzwl	%cx, %ecx
	vpbroadcastd	%edi, %zmm24
	sall	$16, %ebx
	vpmaddwd	%zmm24, %zmm2, %zmm2
	orl	%ebx, %ecx
	vpbroadcastd	%ecx, %zmm23
	vpmaddwd	%zmm23, %zmm1, %zmm3
	vpmaddwd	%zmm23, %zmm0, %zmm0
	vpmaddwd	%zmm24, %zmm5, %zmm1
	vpaddd	%zmm3, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm15, %zmm15
	cmpq	%r9, %rdx
	jne	.L4568
	movq	%rsi, %rdx
	movq	%r12, %rsi
	movq	%r15, %rax
	movq	104(%rsp), %r12
	movq	120(%rsp), %rcx
	movq	112(%rsp), %r15
	vcvtdq2ps	%zmm14, %zmm14
	vmovss	(%r12), %xmm0
	vbroadcastss	%xmm0, %zmm0
	testb	%r14b, %r14b
	jne	.L4569
	vfmadd213ps	(%rcx), %zmm0, %zmm14
	vmovups	64(%rcx), %zmm5
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm15, %zmm15
	vmovups	%zmm14, (%rcx)
	vfmadd132ps	(%r12){1to16}, %zmm5, %zmm22
	vmovups	128(%rcx), %zmm5
	vmovups	%zmm22, 64(%rcx)
	vfmadd132ps	8(%r12){1to16}, %zmm5, %zmm13
	vmovups	192(%rcx), %zmm5
	vmovups	%zmm13, 128(%rcx)
	vfmadd132ps	8(%r12){1to16}, %zmm5, %zmm21
	vmovups	256(%rcx), %zmm5
	vmovups	%zmm21, 192(%rcx)
	vfmadd132ps	16(%r12){1to16}, %zmm5, %zmm12
	vmovups	320(%rcx), %zmm5
	vmovups	%zmm12, 256(%rcx)
	vfmadd132ps	16(%r12){1to16}, %zmm5, %zmm20
	vmovups	384(%rcx), %zmm5
	vmovups	%zmm20, 320(%rcx)
	vfmadd132ps	24(%r12){1to16}, %zmm5, %zmm11
	vmovups	448(%rcx), %zmm5
	vmovups	%zmm11, 384(%rcx)
	vfmadd132ps	24(%r12){1to16}, %zmm5, %zmm19
	vmovups	512(%rcx), %zmm5
	vmovups	%zmm19, 448(%rcx)
	vfmadd132ps	32(%r12){1to16}, %zmm5, %zmm10
	vmovups	576(%rcx), %zmm5
	vmovups	%zmm10, 512(%rcx)
	vfmadd132ps	32(%r12){1to16}, %zmm5, %zmm18
	vmovups	640(%rcx), %zmm5
	vmovups	%zmm18, 576(%rcx)
	vfmadd132ps	40(%r12){1to16}, %zmm5, %zmm9
	vmovups	%zmm9, 640(%rcx)
	vmovups	704(%rcx), %zmm5
	vfmadd132ps	40(%r12){1to16}, %zmm5, %zmm17
	vmovups	768(%rcx), %zmm5
	vmovups	%zmm17, 704(%rcx)
	vfmadd132ps	48(%r12){1to16}, %zmm5, %zmm8
	vmovups	832(%rcx), %zmm5
	vmovups	%zmm8, 768(%rcx)
	vfmadd132ps	48(%r12){1to16}, %zmm5, %zmm16
	vmovups	896(%rcx), %zmm5
	vmovups	%zmm16, 832(%rcx)
	vfmadd132ps	56(%r12){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 896(%rcx)
	vmovups	960(%rcx), %zmm7
	vfmadd132ps	56(%r12){1to16}, %zmm7, %zmm15
.L4801:
	addq	$32, %r11
	addq	$64, %r12
	vmovups	%zmm15, 960(%rcx)
	addq	$4096, %rax
	addq	$2048, %r15
	addq	$1024, %rsi
	cmpq	%r11, %r13
	jle	.L4773
	xorl	%r14d, %r14d
	jmp	.L4572
.L4569:
	vfmadd132ps	%zmm0, %zmm6, %zmm14
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm15, %zmm15
	vmovups	%zmm14, (%rcx)
	vfmadd132ps	(%r12){1to16}, %zmm6, %zmm22
	vmovups	%zmm22, 64(%rcx)
	vfmadd132ps	8(%r12){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 128(%rcx)
	vfmadd132ps	8(%r12){1to16}, %zmm6, %zmm21
	vmovups	%zmm21, 192(%rcx)
	vfmadd132ps	16(%r12){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 256(%rcx)
	vfmadd132ps	16(%r12){1to16}, %zmm6, %zmm20
	vmovups	%zmm20, 320(%rcx)
	vfmadd132ps	24(%r12){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 384(%rcx)
	vfmadd132ps	24(%r12){1to16}, %zmm6, %zmm19
	vmovups	%zmm19, 448(%rcx)
	vfmadd132ps	32(%r12){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 512(%rcx)
	vfmadd132ps	32(%r12){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 576(%rcx)
	vfmadd132ps	40(%r12){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 640(%rcx)
	vfmadd132ps	40(%r12){1to16}, %zmm6, %zmm17
	vmovups	%zmm17, 704(%rcx)
	vfmadd132ps	48(%r12){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 768(%rcx)
	vfmadd132ps	48(%r12){1to16}, %zmm6, %zmm16
	vmovups	%zmm16, 832(%rcx)
	vfmadd132ps	56(%r12){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 896(%rcx)
	vfmadd132ps	56(%r12){1to16}, %zmm6, %zmm15
	jmp	.L4801
.L4816:
	movb	%dil, 120(%rsp)
	movq	%r11, %rax
	movq	%rsi, %r12
	movq	%r8, %r15
	xorl	%r11d, %r11d
	movq	%r9, %rsi
	vmovq	%r10, %xmm30
	kmovb	%edi, %k0
.L4590:
	movq	%r13, %rdi
	movl	$32, %r8d
	vpbroadcastd	4(%rdx), %zmm11
	vpbroadcastd	12(%rdx), %zmm10
	subq	%r11, %rdi
	movq	%rcx, 112(%rsp)
	movq	%r15, %r9
	vpbroadcastd	20(%rdx), %zmm9
	cmpq	%r8, %rdi
	movq	%r13, 104(%rsp)
	vpbroadcastd	28(%rdx), %zmm8
	vmovdqa32	%zmm10, %zmm15
	cmovg	%r8, %rdi
	vpbroadcastd	36(%rdx), %zmm7
	movq	%rax, %r8
	vmovdqa32	%zmm9, %zmm14
	vmovdqa32	%zmm8, %zmm13
	vmovdqa32	%zmm11, %zmm16
	salq	$7, %rdi
	vmovdqa32	%zmm7, %zmm12
	leaq	(%rdi,%rax), %rbx
	movq	%r12, %rdi
	.p2align 4,,10
	.p2align 3
.L4586:
	movl	(%rdi), %r10d
	vpsrad	$8, (%r8), %zmm1
	prefetcht1	(%r9)
	vpsrad	$8, 64(%r8), %zmm0
	vpandd	(%r8), %zmm4, %zmm2
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpandd	64(%r8), %zmm4, %zmm5
	shrl	$16, %ecx
	vpandd	%zmm4, %zmm1, %zmm1
	vpandd	%zmm4, %zmm0, %zmm0
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm3
	sall	$16, %r13d
	orl	%r10d, %r13d
	movl	4(%rdi), %r10d
	vpbroadcastd	%r13d, %zmm17
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	sall	$16, %r13d
	vpmaddwd	%zmm17, %zmm1, %zmm19
	orl	%r10d, %r13d
	movl	8(%rdi), %r10d
	vpmaddwd	%zmm3, %zmm2, %zmm18
	vpmaddwd	%zmm17, %zmm0, %zmm17
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm17, %zmm3, %zmm3
	vpbroadcastd	%r13d, %zmm17
	movsbw	%r10b, %r13w
	vpaddd	%zmm3, %zmm16, %zmm16
	vpbroadcastd	%ecx, %zmm3
	movl	%r10d, %ecx
	movzwl	%r13w, %r13d
	shrl	$16, %ecx
	vpaddd	%zmm19, %zmm18, %zmm18
	vpmaddwd	%zmm17, %zmm1, %zmm19
	movsbw	%cl, %cx
	vpmaddwd	%zmm17, %zmm0, %zmm17
	vpaddd	%zmm18, %zmm11, %zmm11
	sall	$16, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm18
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	vpaddd	%zmm17, %zmm3, %zmm3
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpaddd	%zmm3, %zmm15, %zmm15
	sall	$16, %r13d
	vpbroadcastd	%ecx, %zmm3
	vpaddd	%zmm19, %zmm18, %zmm18
	orl	%r10d, %r13d
	movl	12(%rdi), %r10d
	vpaddd	%zmm18, %zmm10, %zmm10
	vpmaddwd	%zmm3, %zmm2, %zmm18
	vpbroadcastd	%r13d, %zmm17
	vpmaddwd	%zmm3, %zmm5, %zmm3
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpmaddwd	%zmm17, %zmm1, %zmm19
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	vpmaddwd	%zmm17, %zmm0, %zmm17
	movsbw	%cl, %cx
	vpaddd	%zmm17, %zmm3, %zmm3
	vpaddd	%zmm19, %zmm18, %zmm18
	sall	$16, %ecx
	vpaddd	%zmm3, %zmm14, %zmm14
	vpaddd	%zmm18, %zmm9, %zmm9
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm3
	sall	$16, %r13d
	vpmaddwd	%zmm3, %zmm2, %zmm18
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r10d, %r13d
	movl	16(%rdi), %r10d
	vpbroadcastd	%r13d, %zmm17
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpmaddwd	%zmm17, %zmm1, %zmm19
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	vpmaddwd	%zmm17, %zmm0, %zmm17
	subq	$-128, %r8
	movsbw	%cl, %cx
	vpaddd	%zmm19, %zmm18, %zmm18
	addq	$64, %r9
	addq	$20, %rdi
	sall	$16, %ecx
	vpaddd	%zmm17, %zmm3, %zmm3
	vpaddd	%zmm18, %zmm8, %zmm8
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	vpaddd	%zmm3, %zmm13, %zmm13
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm18
	sall	$16, %r13d
	vpmaddwd	%zmm18, %zmm2, %zmm2
	orl	%r10d, %r13d
	vpbroadcastd	%r13d, %zmm17
	vpmaddwd	%zmm17, %zmm1, %zmm3
	vpmaddwd	%zmm17, %zmm0, %zmm0
	vpmaddwd	%zmm18, %zmm5, %zmm1
	vpaddd	%zmm3, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm12, %zmm12
	cmpq	%r8, %rbx
	jne	.L4586
	vmovss	(%rdx), %xmm0
	movq	112(%rsp), %rcx
	vcvtdq2ps	%zmm11, %zmm11
	kortestb	%k0, %k0
	movq	104(%rsp), %r13
	vbroadcastss	%xmm0, %zmm0
	jne	.L4587
	vfmadd213ps	(%rcx), %zmm0, %zmm11
	vmovups	64(%rcx), %zmm5
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm12, %zmm12
	vmovups	%zmm11, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm16
	vmovups	128(%rcx), %zmm5
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm10
	vmovups	192(%rcx), %zmm5
	vmovups	%zmm10, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm15
	vmovups	256(%rcx), %zmm5
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm9
	vmovups	320(%rcx), %zmm5
	vmovups	%zmm9, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm14
	vmovups	384(%rcx), %zmm5
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm8
	vmovups	448(%rcx), %zmm5
	vmovups	%zmm8, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm13
	vmovups	512(%rcx), %zmm5
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 512(%rcx)
	vmovups	576(%rcx), %zmm7
	vfmadd132ps	32(%rdx){1to16}, %zmm7, %zmm12
.L4805:
	addq	$32, %r11
	addq	$40, %rdx
	vmovups	%zmm12, 576(%rcx)
	addq	$4096, %rax
	addq	$2048, %r15
	addq	$640, %r12
	cmpq	%r11, %r13
	jle	.L4777
	kxorb	%k0, %k0, %k0
	jmp	.L4590
.L4587:
	vfmadd132ps	%zmm0, %zmm6, %zmm11
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm12, %zmm12
	vmovups	%zmm11, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm16
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm15
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm14
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm12
	jmp	.L4805
.L4815:
	movb	%dil, 120(%rsp)
	movq	%r11, %rax
	movq	%rsi, %r12
	movq	%r8, %r15
	xorl	%r11d, %r11d
	movq	%r9, %rsi
	vmovq	%r10, %xmm31
	kmovb	%edi, %k0
.L4584:
	movq	%r13, %rdi
	movl	$32, %r8d
	vpbroadcastd	4(%rdx), %zmm12
	vpbroadcastd	12(%rdx), %zmm11
	subq	%r11, %rdi
	vpbroadcastd	20(%rdx), %zmm10
	vpbroadcastd	28(%rdx), %zmm9
	movq	%rcx, 112(%rsp)
	cmpq	%r8, %rdi
	vpbroadcastd	36(%rdx), %zmm8
	movq	%r13, 104(%rsp)
	movq	%r15, %r9
	cmovg	%r8, %rdi
	vpbroadcastd	44(%rdx), %zmm7
	movq	%rax, %r8
	vmovdqa32	%zmm9, %zmm15
	vmovdqa32	%zmm8, %zmm14
	vmovdqa32	%zmm10, %zmm16
	salq	$7, %rdi
	vmovdqa32	%zmm7, %zmm13
	vmovdqa32	%zmm11, %zmm17
	leaq	(%rdi,%rax), %rbx
	vmovdqa32	%zmm12, %zmm18
	movq	%r12, %rdi
	.p2align 4,,10
	.p2align 3
.L4580:
	movl	(%rdi), %r10d
	vpsrad	$8, (%r8), %zmm1
	prefetcht1	(%r9)
	vpsrad	$8, 64(%r8), %zmm0
	vpandd	(%r8), %zmm4, %zmm2
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpandd	64(%r8), %zmm4, %zmm5
	shrl	$16, %ecx
	vpandd	%zmm4, %zmm1, %zmm1
	vpandd	%zmm4, %zmm0, %zmm0
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm3
	sall	$16, %r13d
	orl	%r10d, %r13d
	movl	4(%rdi), %r10d
	vpbroadcastd	%r13d, %zmm19
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	sall	$16, %r13d
	vpmaddwd	%zmm19, %zmm1, %zmm21
	orl	%r10d, %r13d
	movl	8(%rdi), %r10d
	vpmaddwd	%zmm3, %zmm2, %zmm20
	vpmaddwd	%zmm19, %zmm0, %zmm19
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm19, %zmm3, %zmm3
	vpbroadcastd	%r13d, %zmm19
	movsbw	%r10b, %r13w
	vpaddd	%zmm3, %zmm18, %zmm18
	vpbroadcastd	%ecx, %zmm3
	movl	%r10d, %ecx
	movzwl	%r13w, %r13d
	shrl	$16, %ecx
	vpaddd	%zmm21, %zmm20, %zmm20
	vpmaddwd	%zmm19, %zmm1, %zmm21
	movsbw	%cl, %cx
	vpmaddwd	%zmm19, %zmm0, %zmm19
	vpaddd	%zmm20, %zmm12, %zmm12
	sall	$16, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm20
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	vpaddd	%zmm19, %zmm3, %zmm3
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpaddd	%zmm3, %zmm17, %zmm17
	sall	$16, %r13d
	vpbroadcastd	%ecx, %zmm3
	vpaddd	%zmm21, %zmm20, %zmm20
	orl	%r10d, %r13d
	movl	12(%rdi), %r10d
	vpaddd	%zmm20, %zmm11, %zmm11
	vpmaddwd	%zmm3, %zmm2, %zmm20
	vpbroadcastd	%r13d, %zmm19
	vpmaddwd	%zmm3, %zmm5, %zmm3
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpmaddwd	%zmm19, %zmm1, %zmm21
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	vpmaddwd	%zmm19, %zmm0, %zmm19
	movsbw	%cl, %cx
	vpaddd	%zmm19, %zmm3, %zmm3
	vpaddd	%zmm21, %zmm20, %zmm20
	sall	$16, %ecx
	vpaddd	%zmm3, %zmm16, %zmm16
	vpaddd	%zmm20, %zmm10, %zmm10
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm3
	sall	$16, %r13d
	vpmaddwd	%zmm3, %zmm2, %zmm20
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r10d, %r13d
	movl	16(%rdi), %r10d
	vpbroadcastd	%r13d, %zmm19
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpmaddwd	%zmm19, %zmm1, %zmm21
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	vpmaddwd	%zmm19, %zmm0, %zmm19
	subq	$-128, %r8
	movsbw	%cl, %cx
	vpaddd	%zmm19, %zmm3, %zmm3
	addq	$64, %r9
	addq	$24, %rdi
	sall	$16, %ecx
	vpaddd	%zmm3, %zmm15, %zmm15
	vpaddd	%zmm21, %zmm20, %zmm20
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	vpaddd	%zmm20, %zmm9, %zmm9
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm3
	sall	$16, %r13d
	vpmaddwd	%zmm3, %zmm2, %zmm20
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r10d, %r13d
	movl	-4(%rdi), %r10d
	vpbroadcastd	%r13d, %zmm19
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpmaddwd	%zmm19, %zmm1, %zmm21
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	vpmaddwd	%zmm19, %zmm0, %zmm19
	movsbw	%cl, %cx
	vpaddd	%zmm21, %zmm20, %zmm20
	vpaddd	%zmm19, %zmm3, %zmm3
	sall	$16, %ecx
	vpaddd	%zmm20, %zmm8, %zmm8
	vpaddd	%zmm3, %zmm14, %zmm14
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm20
	sall	$16, %r13d
	vpmaddwd	%zmm20, %zmm2, %zmm2
	orl	%r10d, %r13d
	vpbroadcastd	%r13d, %zmm19
	vpmaddwd	%zmm19, %zmm1, %zmm3
	vpmaddwd	%zmm19, %zmm0, %zmm0
	vpmaddwd	%zmm20, %zmm5, %zmm1
	vpaddd	%zmm3, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm13, %zmm13
	cmpq	%r8, %rbx
	jne	.L4580
	vmovss	(%rdx), %xmm0
	movq	112(%rsp), %rcx
	vcvtdq2ps	%zmm12, %zmm12
	kortestb	%k0, %k0
	movq	104(%rsp), %r13
	vbroadcastss	%xmm0, %zmm0
	jne	.L4581
	vfmadd213ps	(%rcx), %zmm0, %zmm12
	vmovups	64(%rcx), %zmm5
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm13, %zmm13
	vmovups	%zmm12, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm18
	vmovups	128(%rcx), %zmm5
	vmovups	%zmm18, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm11
	vmovups	192(%rcx), %zmm5
	vmovups	%zmm11, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm17
	vmovups	256(%rcx), %zmm5
	vmovups	%zmm17, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm10
	vmovups	320(%rcx), %zmm5
	vmovups	%zmm10, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm16
	vmovups	384(%rcx), %zmm5
	vmovups	%zmm16, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm9
	vmovups	448(%rcx), %zmm5
	vmovups	%zmm9, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm15
	vmovups	512(%rcx), %zmm5
	vmovups	%zmm15, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm8
	vmovups	576(%rcx), %zmm5
	vmovups	%zmm8, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm14
	vmovups	640(%rcx), %zmm5
	vmovups	%zmm14, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 640(%rcx)
	vmovups	704(%rcx), %zmm7
	vfmadd132ps	40(%rdx){1to16}, %zmm7, %zmm13
.L4804:
	addq	$32, %r11
	addq	$48, %rdx
	vmovups	%zmm13, 704(%rcx)
	addq	$4096, %rax
	addq	$2048, %r15
	addq	$768, %r12
	cmpq	%r11, %r13
	jle	.L4776
	kxorb	%k0, %k0, %k0
	jmp	.L4584
.L4581:
	vfmadd132ps	%zmm0, %zmm6, %zmm12
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm13, %zmm13
	vmovups	%zmm12, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm17
	vmovups	%zmm17, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm16
	vmovups	%zmm16, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm15
	vmovups	%zmm15, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm14
	vmovups	%zmm14, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm13
	jmp	.L4804
.L4776:
	movzbl	120(%rsp), %edi
	movq	%rsi, %r9
	vmovq	%xmm31, %r10
	jmp	.L4786
.L4777:
	movzbl	120(%rsp), %edi
	movq	%rsi, %r9
	vmovq	%xmm30, %r10
	jmp	.L4786
.L4818:
	movb	%dil, 120(%rsp)
	movq	%r11, %rax
	movq	%rsi, %r12
	movq	%r8, %r15
	xorl	%r11d, %r11d
	movq	%r9, %rsi
	vmovq	%r10, %xmm30
	kmovb	%edi, %k0
.L4602:
	movq	%r13, %rdi
	movl	$32, %r8d
	vpbroadcastd	4(%rdx), %zmm10
	vpbroadcastd	12(%rdx), %zmm9
	subq	%r11, %rdi
	vpbroadcastd	20(%rdx), %zmm8
	movq	%rcx, 112(%rsp)
	movq	%r15, %r9
	cmpq	%r8, %rdi
	movq	%r13, 104(%rsp)
	vmovdqa32	%zmm9, %zmm12
	vmovdqa32	%zmm10, %zmm13
	cmovg	%r8, %rdi
	vmovdqa32	%zmm8, %zmm11
	movq	%r12, %r8
	salq	$7, %rdi
	leaq	(%rdi,%rax), %rbx
	movq	%rax, %rdi
.L4598:
	movl	(%r8), %r10d
	vpandd	(%rdi), %zmm4, %zmm2
	subq	$-128, %rdi
	prefetcht1	(%r9)
	vpsrad	$8, -128(%rdi), %zmm1
	vpsrad	$8, -64(%rdi), %zmm0
	addq	$64, %r9
	addq	$12, %r8
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpandd	-64(%rdi), %zmm4, %zmm7
	shrl	$16, %ecx
	vpandd	%zmm4, %zmm1, %zmm1
	vpandd	%zmm4, %zmm0, %zmm0
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm3
	sall	$16, %r13d
	orl	%r10d, %r13d
	movl	-8(%r8), %r10d
	vpbroadcastd	%r13d, %zmm5
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	sall	$16, %r13d
	orl	%r10d, %r13d
	movl	-4(%r8), %r10d
	vpmaddwd	%zmm3, %zmm2, %zmm14
	vpmaddwd	%zmm5, %zmm1, %zmm15
	vpmaddwd	%zmm3, %zmm7, %zmm3
	vpmaddwd	%zmm5, %zmm0, %zmm5
	vpaddd	%zmm5, %zmm3, %zmm3
	vpbroadcastd	%r13d, %zmm5
	movsbw	%r10b, %r13w
	vpaddd	%zmm3, %zmm13, %zmm13
	vpbroadcastd	%ecx, %zmm3
	movl	%r10d, %ecx
	movzwl	%r13w, %r13d
	shrl	$16, %ecx
	vpaddd	%zmm15, %zmm14, %zmm14
	vpmaddwd	%zmm5, %zmm1, %zmm15
	movsbw	%cl, %cx
	vpmaddwd	%zmm5, %zmm0, %zmm5
	vpaddd	%zmm14, %zmm10, %zmm10
	sall	$16, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm14
	vpmaddwd	%zmm3, %zmm7, %zmm3
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	vpaddd	%zmm5, %zmm3, %zmm3
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm5
	sall	$16, %r13d
	vpaddd	%zmm3, %zmm12, %zmm12
	vpmaddwd	%zmm5, %zmm2, %zmm2
	orl	%r10d, %r13d
	vpaddd	%zmm15, %zmm14, %zmm14
	vpbroadcastd	%r13d, %zmm3
	vpaddd	%zmm14, %zmm9, %zmm9
	vpmaddwd	%zmm3, %zmm1, %zmm1
	vpmaddwd	%zmm3, %zmm0, %zmm0
	vpaddd	%zmm1, %zmm2, %zmm2
	vpmaddwd	%zmm5, %zmm7, %zmm1
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm8, %zmm8
	vpaddd	%zmm0, %zmm11, %zmm11
	cmpq	%rdi, %rbx
	jne	.L4598
	vmovss	(%rdx), %xmm0
	movq	112(%rsp), %rcx
	vcvtdq2ps	%zmm10, %zmm10
	kortestb	%k0, %k0
	movq	104(%rsp), %r13
	vbroadcastss	%xmm0, %zmm0
	jne	.L4599
	vfmadd213ps	(%rcx), %zmm0, %zmm10
	vmovups	64(%rcx), %zmm7
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	%zmm10, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm7, %zmm13
	vmovups	128(%rcx), %zmm7
	vmovups	%zmm13, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm7, %zmm9
	vmovups	192(%rcx), %zmm7
	vmovups	%zmm9, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm7, %zmm12
	vmovups	256(%rcx), %zmm7
	vmovups	%zmm12, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm7, %zmm8
	vmovups	320(%rcx), %zmm7
	vmovups	%zmm8, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm7, %zmm11
.L4807:
	addq	$32, %r11
	addq	$24, %rdx
	vmovups	%zmm11, 320(%rcx)
	addq	$4096, %rax
	addq	$2048, %r15
	addq	$384, %r12
	cmpq	%r11, %r13
	jle	.L4777
	kxorb	%k0, %k0, %k0
	jmp	.L4602
.L4599:
	vfmadd132ps	%zmm0, %zmm6, %zmm10
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	%zmm10, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm11
	jmp	.L4807
.L4817:
	movb	%dil, 120(%rsp)
	movq	%r11, %rax
	movq	%rsi, %r12
	movq	%r8, %r15
	xorl	%r11d, %r11d
	movq	%r9, %rsi
	vmovq	%r10, %xmm31
	kmovb	%edi, %k0
.L4596:
	movq	%r13, %rdi
	movl	$32, %r8d
	vpbroadcastd	4(%rdx), %zmm10
	vpbroadcastd	12(%rdx), %zmm9
	subq	%r11, %rdi
	vpbroadcastd	20(%rdx), %zmm8
	movq	%rcx, 112(%rsp)
	movq	%r15, %r9
	cmpq	%r8, %rdi
	vpbroadcastd	28(%rdx), %zmm7
	movq	%r13, 104(%rsp)
	vmovdqa32	%zmm9, %zmm13
	cmovg	%r8, %rdi
	vmovdqa32	%zmm8, %zmm12
	vmovdqa32	%zmm10, %zmm14
	movq	%rax, %r8
	vmovdqa32	%zmm7, %zmm11
	salq	$7, %rdi
	leaq	(%rdi,%rax), %rbx
	movq	%r12, %rdi
.L4592:
	movl	(%rdi), %r10d
	vpsrad	$8, (%r8), %zmm1
	prefetcht1	(%r9)
	vpsrad	$8, 64(%r8), %zmm0
	vpandd	(%r8), %zmm4, %zmm2
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpandd	64(%r8), %zmm4, %zmm15
	shrl	$16, %ecx
	vpandd	%zmm4, %zmm1, %zmm1
	vpandd	%zmm4, %zmm0, %zmm0
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm3
	sall	$16, %r13d
	orl	%r10d, %r13d
	movl	4(%rdi), %r10d
	vpbroadcastd	%r13d, %zmm5
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	sall	$16, %r13d
	vpmaddwd	%zmm5, %zmm1, %zmm17
	orl	%r10d, %r13d
	movl	8(%rdi), %r10d
	vpmaddwd	%zmm3, %zmm2, %zmm16
	vpmaddwd	%zmm5, %zmm0, %zmm5
	vpmaddwd	%zmm3, %zmm15, %zmm3
	vpaddd	%zmm5, %zmm3, %zmm3
	vpbroadcastd	%r13d, %zmm5
	movsbw	%r10b, %r13w
	vpaddd	%zmm3, %zmm14, %zmm14
	vpbroadcastd	%ecx, %zmm3
	movl	%r10d, %ecx
	movzwl	%r13w, %r13d
	shrl	$16, %ecx
	vpaddd	%zmm17, %zmm16, %zmm16
	vpmaddwd	%zmm5, %zmm1, %zmm17
	movsbw	%cl, %cx
	vpmaddwd	%zmm5, %zmm0, %zmm5
	vpaddd	%zmm16, %zmm10, %zmm10
	sall	$16, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm16
	vpmaddwd	%zmm3, %zmm15, %zmm3
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	vpaddd	%zmm5, %zmm3, %zmm3
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpaddd	%zmm3, %zmm13, %zmm13
	sall	$16, %r13d
	vpbroadcastd	%ecx, %zmm3
	vpaddd	%zmm17, %zmm16, %zmm16
	orl	%r10d, %r13d
	movl	12(%rdi), %r10d
	vpaddd	%zmm16, %zmm9, %zmm9
	vpmaddwd	%zmm3, %zmm2, %zmm16
	vpbroadcastd	%r13d, %zmm5
	vpmaddwd	%zmm3, %zmm15, %zmm3
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpmaddwd	%zmm5, %zmm1, %zmm17
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	vpmaddwd	%zmm5, %zmm0, %zmm5
	movsbw	%cl, %cx
	vpaddd	%zmm17, %zmm16, %zmm16
	vpaddd	%zmm5, %zmm3, %zmm3
	sall	$16, %ecx
	vpaddd	%zmm16, %zmm8, %zmm8
	vpaddd	%zmm3, %zmm12, %zmm12
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm16
	sall	$16, %r13d
	vpmaddwd	%zmm16, %zmm2, %zmm2
	orl	%r10d, %r13d
	addq	$64, %r9
	subq	$-128, %r8
	addq	$16, %rdi
	vpbroadcastd	%r13d, %zmm5
	vpmaddwd	%zmm5, %zmm1, %zmm3
	vpmaddwd	%zmm5, %zmm0, %zmm0
	vpmaddwd	%zmm16, %zmm15, %zmm1
	vpaddd	%zmm3, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm11, %zmm11
	cmpq	%rbx, %r8
	jne	.L4592
	vmovss	(%rdx), %xmm0
	movq	112(%rsp), %rcx
	vcvtdq2ps	%zmm10, %zmm10
	kortestb	%k0, %k0
	movq	104(%rsp), %r13
	vbroadcastss	%xmm0, %zmm0
	jne	.L4593
	vfmadd213ps	(%rcx), %zmm0, %zmm10
	vmovups	64(%rcx), %zmm5
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	%zmm10, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm14
	vmovups	128(%rcx), %zmm5
	vmovups	%zmm14, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm9
	vmovups	192(%rcx), %zmm5
	vmovups	%zmm9, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm13
	vmovups	256(%rcx), %zmm5
	vmovups	%zmm13, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm8
	vmovups	320(%rcx), %zmm5
	vmovups	%zmm8, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm12
	vmovups	384(%rcx), %zmm5
	vmovups	%zmm12, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 384(%rcx)
	vmovups	448(%rcx), %zmm7
	vfmadd132ps	24(%rdx){1to16}, %zmm7, %zmm11
.L4806:
	addq	$32, %r11
	addq	$32, %rdx
	vmovups	%zmm11, 448(%rcx)
	addq	$4096, %rax
	addq	$2048, %r15
	addq	$512, %r12
	cmpq	%r11, %r13
	jle	.L4776
	kxorb	%k0, %k0, %k0
	jmp	.L4596
.L4593:
	vfmadd132ps	%zmm0, %zmm6, %zmm10
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	%zmm10, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm14
	vmovups	%zmm14, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm11
	jmp	.L4806
.L4826:
	movq	128(%rsp), %r11
	movq	%r9, %rcx
	movl	%edi, %r15d
	xorl	%r12d, %r12d
	movq	%rsi, %r9
.L4524:
	movq	%r13, %rsi
	movl	$32, %r8d
	vpbroadcastd	4(%rdx), %zmm12
	vpbroadcastd	12(%rdx), %zmm11
	subq	%r12, %rsi
	vpbroadcastd	20(%rdx), %zmm10
	vpbroadcastd	28(%rdx), %zmm9
	leaq	-4096(%r11), %rax
	cmpq	%r8, %rsi
	vpbroadcastd	36(%rdx), %zmm8
	movq	%rdx, 112(%rsp)
	movq	%r11, %rbx
	cmovg	%r8, %rsi
	vpbroadcastd	44(%rdx), %zmm7
	movq	%r9, %r8
	movq	%r14, 104(%rsp)
	vmovdqa32	%zmm8, %zmm14
	movl	%edi, %r14d
	movq	%rax, %rdx
	salq	$7, %rsi
	vmovdqa32	%zmm7, %zmm13
	movq	%rcx, %rdi
	addq	%r11, %rsi
	vmovdqa32	%zmm9, %zmm15
	vmovdqa32	%zmm10, %zmm16
	movq	%rsi, 120(%rsp)
	vmovdqa32	%zmm11, %zmm17
	vmovdqa32	%zmm12, %zmm18
.L4520:
	movl	(%r8), %eax
	vpandd	(%rdx), %zmm4, %zmm2
	prefetcht0	(%rbx)
	prefetcht0	64(%rbx)
	vpsrad	$8, (%rdx), %zmm1
	vpsrad	$8, 64(%rdx), %zmm0
	movl	%eax, %ecx
	movsbw	%al, %si
	vpandd	64(%rdx), %zmm4, %zmm3
	shrl	$16, %ecx
	vpandd	%zmm4, %zmm1, %zmm1
	vpandd	%zmm4, %zmm0, %zmm0
	movzwl	%si, %esi
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%esi, %ecx
	movl	%eax, %esi
	sarw	$8, %ax
	sarl	$24, %esi
	movzwl	%ax, %eax
	vpbroadcastd	%ecx, %zmm5
	sall	$16, %esi
	orl	%esi, %eax
	vpbroadcastd	%eax, %zmm19
	movl	4(%r8), %eax
	movl	%eax, %ecx
	movsbw	%al, %si
	vpmaddwd	%zmm5, %zmm2, %zmm20
	shrl	$16, %ecx
	movzwl	%si, %esi
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%esi, %ecx
	movl	%eax, %esi
	sarw	$8, %ax
	sarl	$24, %esi
	movzwl	%ax, %eax
	sall	$16, %esi
	vpmaddwd	%zmm19, %zmm1, %zmm21
	orl	%esi, %eax
	vpmaddwd	%zmm19, %zmm0, %zmm19
	vpmaddwd	%zmm5, %zmm3, %zmm5
	vpaddd	%zmm21, %zmm20, %zmm20
	vpaddd	%zmm19, %zmm5, %zmm5
	vpbroadcastd	%eax, %zmm19
	movl	8(%r8), %eax
	vpaddd	%zmm20, %zmm12, %zmm12
	vpaddd	%zmm5, %zmm18, %zmm18
	vpbroadcastd	%ecx, %zmm5
	vpmaddwd	%zmm19, %zmm1, %zmm21
	movl	%eax, %ecx
	movsbw	%al, %si
	vpmaddwd	%zmm5, %zmm2, %zmm20
	shrl	$16, %ecx
	movzwl	%si, %esi
	vpmaddwd	%zmm19, %zmm0, %zmm19
	movsbw	%cl, %cx
	vpmaddwd	%zmm5, %zmm3, %zmm5
	vpaddd	%zmm21, %zmm20, %zmm20
	sall	$16, %ecx
	vpaddd	%zmm19, %zmm5, %zmm5
	vpaddd	%zmm20, %zmm11, %zmm11
	orl	%esi, %ecx
	movl	%eax, %esi
	sarw	$8, %ax
	vpaddd	%zmm5, %zmm17, %zmm17
	sarl	$24, %esi
	movzwl	%ax, %eax
	vpbroadcastd	%ecx, %zmm5
	sall	$16, %esi
	vpmaddwd	%zmm5, %zmm2, %zmm20
	vpmaddwd	%zmm5, %zmm3, %zmm5
	orl	%esi, %eax
	vpbroadcastd	%eax, %zmm19
	movl	12(%r8), %eax
	vpmaddwd	%zmm19, %zmm1, %zmm21
	vpmaddwd	%zmm19, %zmm0, %zmm19
	movl	%eax, %ecx
	movsbw	%al, %si
	vpaddd	%zmm19, %zmm5, %zmm5
	shrl	$16, %ecx
	movzwl	%si, %esi
	vpaddd	%zmm5, %zmm16, %zmm16
	movsbw	%cl, %cx
	vpaddd	%zmm21, %zmm20, %zmm20
	sall	$16, %ecx
	vpaddd	%zmm20, %zmm10, %zmm10
	orl	%esi, %ecx
	movl	%eax, %esi
	sarw	$8, %ax
	sarl	$24, %esi
	movzwl	%ax, %eax
	vpbroadcastd	%ecx, %zmm5
	sall	$16, %esi
	vpmaddwd	%zmm5, %zmm2, %zmm20
	vpmaddwd	%zmm5, %zmm3, %zmm5
	orl	%esi, %eax
	vpbroadcastd	%eax, %zmm19
	movl	16(%r8), %eax
	vpmaddwd	%zmm19, %zmm1, %zmm21
	vpmaddwd	%zmm19, %zmm0, %zmm19
	movl	%eax, %ecx
	movsbw	%al, %si
	vpaddd	%zmm19, %zmm5, %zmm5
	shrl	$16, %ecx
	movzwl	%si, %esi
	vpaddd	%zmm5, %zmm15, %zmm15
	subq	$-128, %rbx
	movsbw	%cl, %cx
	vpaddd	%zmm21, %zmm20, %zmm20
	subq	$-128, %rdx
	addq	$24, %r8
	sall	$16, %ecx
	vpaddd	%zmm20, %zmm9, %zmm9
	orl	%esi, %ecx
	movl	%eax, %esi
	sarw	$8, %ax
	sarl	$24, %esi
	movzwl	%ax, %eax
	vpbroadcastd	%ecx, %zmm5
	sall	$16, %esi
	vpmaddwd	%zmm5, %zmm2, %zmm20
	vpmaddwd	%zmm5, %zmm3, %zmm5
	orl	%esi, %eax
	movl	-4(%r8), %esi
	vpbroadcastd	%eax, %zmm19
	movl	%esi, %eax
	movsbw	%sil, %cx
	vpmaddwd	%zmm19, %zmm1, %zmm21
	shrl	$16, %eax
	movzwl	%cx, %ecx
	vpmaddwd	%zmm19, %zmm0, %zmm19
	cbtw
	vpaddd	%zmm19, %zmm5, %zmm5
	vpaddd	%zmm21, %zmm20, %zmm20
	sall	$16, %eax
	vpaddd	%zmm5, %zmm14, %zmm14
	vpaddd	%zmm20, %zmm8, %zmm8
	orl	%ecx, %eax
	movl	%esi, %ecx
	sarw	$8, %si
	sarl	$24, %ecx
	movzwl	%si, %esi
	vpbroadcastd	%eax, %zmm19
	sall	$16, %ecx
	vpmaddwd	%zmm19, %zmm2, %zmm2
	orl	%ecx, %esi
	vpbroadcastd	%esi, %zmm5
	vpmaddwd	%zmm5, %zmm1, %zmm1
	vpmaddwd	%zmm5, %zmm0, %zmm0
	vpaddd	%zmm1, %zmm2, %zmm2
	vpmaddwd	%zmm19, %zmm3, %zmm1
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm13, %zmm13
	cmpq	%rbx, 120(%rsp)
	jne	.L4520
	movq	112(%rsp), %rdx
	movq	%rdi, %rcx
	vcvtdq2ps	%zmm12, %zmm12
	movl	%r14d, %edi
	movq	104(%rsp), %r14
	vmovss	(%rdx), %xmm0
	vbroadcastss	%xmm0, %zmm0
	testb	%r15b, %r15b
	jne	.L4521
	vfmadd213ps	(%r14), %zmm0, %zmm12
	vmovups	64(%r14), %zmm5
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm13, %zmm13
	vmovups	%zmm12, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm18
	vmovups	128(%r14), %zmm5
	vmovups	%zmm18, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm11
	vmovups	192(%r14), %zmm5
	vmovups	%zmm11, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm17
	vmovups	256(%r14), %zmm5
	vmovups	%zmm17, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm10
	vmovups	320(%r14), %zmm5
	vmovups	%zmm10, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm16
	vmovups	384(%r14), %zmm5
	vmovups	%zmm16, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm9
	vmovups	448(%r14), %zmm5
	vmovups	%zmm9, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm15
	vmovups	512(%r14), %zmm5
	vmovups	%zmm15, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm8
	vmovups	576(%r14), %zmm5
	vmovups	%zmm8, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm14
	vmovups	640(%r14), %zmm5
	vmovups	%zmm14, 576(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 640(%r14)
	vmovups	704(%r14), %zmm7
	vfmadd132ps	40(%rdx){1to16}, %zmm7, %zmm13
.L4794:
	addq	$32, %r12
	addq	$48, %rdx
	vmovups	%zmm13, 704(%r14)
	addq	$4096, %r11
	addq	$768, %r9
	cmpq	%r12, %r13
	jle	.L4810
	xorl	%r15d, %r15d
	jmp	.L4524
.L4521:
	vfmadd132ps	%zmm0, %zmm6, %zmm12
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm13, %zmm13
	vmovups	%zmm12, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm17
	vmovups	%zmm17, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm16
	vmovups	%zmm16, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm15
	vmovups	%zmm15, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm14
	vmovups	%zmm14, 576(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 640(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm13
	jmp	.L4794
.L4769:
	movl	%r9d, %edi
.L4810:
	movq	%rcx, %r9
	jmp	.L4786
.L4825:
	movq	%r9, 120(%rsp)
	movq	%rsi, %rax
	movl	%edi, %r15d
	xorl	%r12d, %r12d
	movq	128(%rsp), %r11
	movl	%edi, %ecx
	vmovq	%r10, %xmm30
.L4518:
	movq	%r13, %rsi
	vpbroadcastd	4(%rdx), %zmm13
	movq	%rax, %r8
	movq	%r11, %r9
	movl	$32, %edi
	subq	%r12, %rsi
	vpbroadcastd	12(%rdx), %zmm12
	vpbroadcastd	20(%rdx), %zmm11
	cmpq	%rdi, %rsi
	vpbroadcastd	28(%rdx), %zmm10
	vpbroadcastd	36(%rdx), %zmm9
	leaq	-4096(%r11), %rbx
	cmovg	%rdi, %rsi
	vmovdqa32	%zmm11, %zmm18
	kmovb	%r15d, %k2
	vpbroadcastd	44(%rdx), %zmm8
	vpbroadcastd	52(%rdx), %zmm7
	vmovdqa32	%zmm9, %zmm16
	vmovdqa32	%zmm10, %zmm17
	salq	$7, %rsi
	vmovdqa32	%zmm8, %zmm15
	vmovdqa32	%zmm12, %zmm19
	leaq	(%rsi,%r11), %rdi
	vmovdqa32	%zmm7, %zmm14
	vmovdqa32	%zmm13, %zmm20
.L4514:
	movl	(%r8), %esi
	vpandd	(%rbx), %zmm4, %zmm1
	prefetcht0	(%r9)
	prefetcht0	64(%r9)
	vpsrad	$8, (%rbx), %zmm2
	vpandd	64(%rbx), %zmm4, %zmm0
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vmovaps	%zmm1, %zmm5
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpandd	%zmm4, %zmm2, %zmm2
	movsbw	%r10b, %r10w
	vpsrad	$8, 64(%rbx), %zmm1
	sall	$16, %r10d
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	vpandd	%zmm4, %zmm1, %zmm1
	sarl	$24, %r15d
	movzwl	%si, %esi
	vmovaps	%zmm1, %zmm3
	sall	$16, %r15d
	vpbroadcastd	%r10d, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm21
	movl	4(%r8), %esi
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpmaddwd	%zmm1, %zmm5, %zmm22
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	movsbw	%r10b, %r10w
	sall	$16, %r10d
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	sall	$16, %r15d
	vpmaddwd	%zmm21, %zmm2, %zmm23
	orl	%r15d, %esi
	vpmaddwd	%zmm1, %zmm0, %zmm1
	vpmaddwd	%zmm21, %zmm3, %zmm21
	vpaddd	%zmm23, %zmm22, %zmm22
	vpaddd	%zmm21, %zmm1, %zmm1
	vpbroadcastd	%esi, %zmm21
	movl	8(%r8), %esi
	vpaddd	%zmm22, %zmm13, %zmm13
	vpaddd	%zmm1, %zmm20, %zmm20
	vpbroadcastd	%r10d, %zmm1
	vpmaddwd	%zmm21, %zmm2, %zmm23
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpmaddwd	%zmm1, %zmm5, %zmm22
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpmaddwd	%zmm1, %zmm0, %zmm1
	movsbw	%r10b, %r10w
	vpmaddwd	%zmm21, %zmm3, %zmm21
	vpaddd	%zmm23, %zmm22, %zmm22
	sall	$16, %r10d
	vpaddd	%zmm21, %zmm1, %zmm1
	vpaddd	%zmm22, %zmm12, %zmm12
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	vpaddd	%zmm1, %zmm19, %zmm19
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm22
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm21
	movl	12(%r8), %esi
	vpmaddwd	%zmm21, %zmm2, %zmm23
	vpmaddwd	%zmm21, %zmm3, %zmm21
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm21, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm18, %zmm18
	movsbw	%r10b, %r10w
	vpaddd	%zmm23, %zmm22, %zmm22
	sall	$16, %r10d
	vpaddd	%zmm22, %zmm11, %zmm11
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm22
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm21
	movl	16(%r8), %esi
	vpmaddwd	%zmm21, %zmm2, %zmm23
	vpmaddwd	%zmm21, %zmm3, %zmm21
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm21, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm17, %zmm17
	subq	$-128, %r9
	movsbw	%r10b, %r10w
	vpaddd	%zmm23, %zmm22, %zmm22
	subq	$-128, %rbx
	addq	$28, %r8
	sall	$16, %r10d
	vpaddd	%zmm22, %zmm10, %zmm10
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm22
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm21
	movl	-8(%r8), %esi
	vpmaddwd	%zmm21, %zmm2, %zmm23
	vpmaddwd	%zmm21, %zmm3, %zmm21
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm21, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm16, %zmm16
	movsbw	%r10b, %r10w
	vpaddd	%zmm23, %zmm22, %zmm22
	sall	$16, %r10d
	vpaddd	%zmm22, %zmm9, %zmm9
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm22
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm21
	movl	-4(%r8), %esi
	vpmaddwd	%zmm21, %zmm2, %zmm23
	vpmaddwd	%zmm21, %zmm3, %zmm21
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm21, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm15, %zmm15
	movsbw	%r10b, %r10w
	vpaddd	%zmm23, %zmm22, %zmm22
	sall	$16, %r10d
	vpaddd	%zmm22, %zmm8, %zmm8
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm21
	sall	$16, %r15d
	vpmaddwd	%zmm21, %zmm5, %zmm1
	vpmaddwd	%zmm21, %zmm0, %zmm0
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm5
	vpmaddwd	%zmm5, %zmm2, %zmm2
	vpaddd	%zmm2, %zmm1, %zmm1
	vpaddd	%zmm1, %zmm7, %zmm7
	vpmaddwd	%zmm5, %zmm3, %zmm1
	vpaddd	%zmm1, %zmm0, %zmm0
	vpaddd	%zmm0, %zmm14, %zmm14
	cmpq	%rdi, %r9
	jne	.L4514
	vmovss	(%rdx), %xmm0
	kmovb	%k2, %r15d
	vcvtdq2ps	%zmm13, %zmm13
	vbroadcastss	%xmm0, %zmm0
	testb	%r15b, %r15b
	jne	.L4515
	vfmadd213ps	(%r14), %zmm0, %zmm13
	vmovups	64(%r14), %zmm5
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm14, %zmm14
	vmovups	%zmm13, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm20
	vmovups	128(%r14), %zmm5
	vmovups	%zmm20, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm12
	vmovups	192(%r14), %zmm5
	vmovups	%zmm12, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm19
	vmovups	256(%r14), %zmm5
	vmovups	%zmm19, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm11
	vmovups	320(%r14), %zmm5
	vmovups	%zmm11, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm18
	vmovups	384(%r14), %zmm5
	vmovups	%zmm18, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm10
	vmovups	448(%r14), %zmm5
	vmovups	%zmm10, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm17
	vmovups	512(%r14), %zmm5
	vmovups	%zmm17, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm9
	vmovups	576(%r14), %zmm5
	vmovups	%zmm9, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm16
	vmovups	640(%r14), %zmm5
	vmovups	%zmm16, 576(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm8
	vmovups	%zmm8, 640(%r14)
	vmovups	704(%r14), %zmm5
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm15
	vmovups	768(%r14), %zmm5
	vmovups	%zmm15, 704(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 768(%r14)
	vmovups	832(%r14), %zmm7
	vfmadd132ps	48(%rdx){1to16}, %zmm7, %zmm14
.L4793:
	addq	$32, %r12
	addq	$56, %rdx
	vmovups	%zmm14, 832(%r14)
	addq	$4096, %r11
	addq	$896, %rax
	cmpq	%r12, %r13
	jle	.L4763
	xorl	%r15d, %r15d
	jmp	.L4518
.L4515:
	vfmadd132ps	%zmm0, %zmm6, %zmm13
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm14, %zmm14
	vmovups	%zmm13, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm20
	vmovups	%zmm20, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm19
	vmovups	%zmm19, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm17
	vmovups	%zmm17, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm16
	vmovups	%zmm16, 576(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 640(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm15
	vmovups	%zmm15, 704(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 768(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm14
	jmp	.L4793
.L4763:
	movq	120(%rsp), %r9
	movl	%ecx, %edi
	vmovq	%xmm30, %r10
	jmp	.L4786
.L4824:
	movq	%r9, 120(%rsp)
	movq	%r13, %rax
	movl	%edi, %r15d
	xorl	%r12d, %r12d
	movq	128(%rsp), %r11
	movl	%edi, %ecx
	vmovq	%r10, %xmm31
	movq	%rsi, %r13
.L4512:
	movq	%rax, %rsi
	vpbroadcastd	4(%rdx), %zmm14
	movq	%r13, %r8
	movq	%r11, %r9
	movl	$32, %edi
	subq	%r12, %rsi
	vpbroadcastd	12(%rdx), %zmm13
	vpbroadcastd	20(%rdx), %zmm12
	cmpq	%rdi, %rsi
	vpbroadcastd	28(%rdx), %zmm11
	vpbroadcastd	36(%rdx), %zmm10
	leaq	-4096(%r11), %rbx
	cmovg	%rdi, %rsi
	vpbroadcastd	44(%rdx), %zmm9
	vpbroadcastd	52(%rdx), %zmm8
	vmovdqa32	%zmm12, %zmm20
	vmovdqa32	%zmm10, %zmm18
	vmovdqa32	%zmm11, %zmm19
	kmovb	%r15d, %k3
	vpbroadcastd	60(%rdx), %zmm7
	salq	$7, %rsi
	vmovdqa32	%zmm8, %zmm16
	vmovdqa32	%zmm9, %zmm17
	leaq	(%rsi,%r11), %rdi
	vmovdqa32	%zmm7, %zmm15
	vmovdqa32	%zmm13, %zmm21
	vmovdqa32	%zmm14, %zmm22
.L4508:
	movl	(%r8), %esi
	vpandd	(%rbx), %zmm4, %zmm1
	prefetcht0	(%r9)
	prefetcht0	64(%r9)
	vpsrad	$8, (%rbx), %zmm2
	vpandd	64(%rbx), %zmm4, %zmm0
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vmovaps	%zmm1, %zmm5
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpandd	%zmm4, %zmm2, %zmm2
	movsbw	%r10b, %r10w
	vpsrad	$8, 64(%rbx), %zmm1
	sall	$16, %r10d
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	vpandd	%zmm4, %zmm1, %zmm1
	sarl	$24, %r15d
	movzwl	%si, %esi
	vmovaps	%zmm1, %zmm3
	sall	$16, %r15d
	vpbroadcastd	%r10d, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm23
	movl	4(%r8), %esi
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpmaddwd	%zmm1, %zmm5, %zmm24
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	movsbw	%r10b, %r10w
	sall	$16, %r10d
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	sall	$16, %r15d
	vpmaddwd	%zmm23, %zmm2, %zmm25
	orl	%r15d, %esi
	vpmaddwd	%zmm1, %zmm0, %zmm1
	vpmaddwd	%zmm23, %zmm3, %zmm23
	vpaddd	%zmm25, %zmm24, %zmm24
	vpaddd	%zmm23, %zmm1, %zmm1
	vpbroadcastd	%esi, %zmm23
	movl	8(%r8), %esi
	vpaddd	%zmm24, %zmm14, %zmm14
	vpaddd	%zmm1, %zmm22, %zmm22
	vpbroadcastd	%r10d, %zmm1
	vpmaddwd	%zmm23, %zmm2, %zmm25
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpmaddwd	%zmm1, %zmm5, %zmm24
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpmaddwd	%zmm1, %zmm0, %zmm1
	movsbw	%r10b, %r10w
	vpmaddwd	%zmm23, %zmm3, %zmm23
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %r10d
	vpaddd	%zmm23, %zmm1, %zmm1
	vpaddd	%zmm24, %zmm13, %zmm13
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	vpaddd	%zmm1, %zmm21, %zmm21
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm24
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm23
	movl	12(%r8), %esi
	vpmaddwd	%zmm23, %zmm2, %zmm25
	vpmaddwd	%zmm23, %zmm3, %zmm23
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm23, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm20, %zmm20
	movsbw	%r10b, %r10w
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %r10d
	vpaddd	%zmm24, %zmm12, %zmm12
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm24
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm23
	movl	16(%r8), %esi
	vpmaddwd	%zmm23, %zmm2, %zmm25
	vpmaddwd	%zmm23, %zmm3, %zmm23
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm23, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm19, %zmm19
	subq	$-128, %r9
	movsbw	%r10b, %r10w
	vpaddd	%zmm25, %zmm24, %zmm24
	subq	$-128, %rbx
	addq	$32, %r8
	sall	$16, %r10d
	vpaddd	%zmm24, %zmm11, %zmm11
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm24
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm23
	movl	-12(%r8), %esi
	vpmaddwd	%zmm23, %zmm2, %zmm25
	vpmaddwd	%zmm23, %zmm3, %zmm23
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm23, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm18, %zmm18
	movsbw	%r10b, %r10w
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %r10d
	vpaddd	%zmm24, %zmm10, %zmm10
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm24
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm23
	movl	-8(%r8), %esi
	vpmaddwd	%zmm23, %zmm2, %zmm25
	vpmaddwd	%zmm23, %zmm3, %zmm23
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm23, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm17, %zmm17
	movsbw	%r10b, %r10w
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %r10d
	vpaddd	%zmm24, %zmm9, %zmm9
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm1
	sall	$16, %r15d
	vpmaddwd	%zmm1, %zmm5, %zmm24
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm23
	movl	-4(%r8), %esi
	vpmaddwd	%zmm23, %zmm2, %zmm25
	vpmaddwd	%zmm23, %zmm3, %zmm23
	movl	%esi, %r10d
	movsbw	%sil, %r15w
	vpaddd	%zmm23, %zmm1, %zmm1
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm1, %zmm16, %zmm16
	movsbw	%r10b, %r10w
	vpaddd	%zmm25, %zmm24, %zmm24
	sall	$16, %r10d
	vpaddd	%zmm24, %zmm8, %zmm8
	orl	%r15d, %r10d
	movl	%esi, %r15d
	sarw	$8, %si
	sarl	$24, %r15d
	movzwl	%si, %esi
	vpbroadcastd	%r10d, %zmm23
	sall	$16, %r15d
	vpmaddwd	%zmm23, %zmm5, %zmm1
	vpmaddwd	%zmm23, %zmm0, %zmm0
	orl	%r15d, %esi
	vpbroadcastd	%esi, %zmm5
	vpmaddwd	%zmm5, %zmm2, %zmm2
	vpaddd	%zmm2, %zmm1, %zmm1
	vpaddd	%zmm1, %zmm7, %zmm7
	vpmaddwd	%zmm5, %zmm3, %zmm1
	vpaddd	%zmm1, %zmm0, %zmm0
	vpaddd	%zmm0, %zmm15, %zmm15
	cmpq	%rdi, %r9
	jne	.L4508
	vmovss	(%rdx), %xmm0
	kmovb	%k3, %r15d
	vcvtdq2ps	%zmm14, %zmm14
	vbroadcastss	%xmm0, %zmm0
	testb	%r15b, %r15b
	jne	.L4509
	vfmadd213ps	(%r14), %zmm0, %zmm14
	vmovups	64(%r14), %zmm5
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm15, %zmm15
	vmovups	%zmm14, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm22
	vmovups	128(%r14), %zmm5
	vmovups	%zmm22, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm13
	vmovups	192(%r14), %zmm5
	vmovups	%zmm13, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm21
	vmovups	256(%r14), %zmm5
	vmovups	%zmm21, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm12
	vmovups	320(%r14), %zmm5
	vmovups	%zmm12, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm20
	vmovups	384(%r14), %zmm5
	vmovups	%zmm20, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm11
	vmovups	448(%r14), %zmm5
	vmovups	%zmm11, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm19
	vmovups	512(%r14), %zmm5
	vmovups	%zmm19, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm10
	vmovups	576(%r14), %zmm5
	vmovups	%zmm10, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm18
	vmovups	640(%r14), %zmm5
	vmovups	%zmm18, 576(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm9
	vmovups	%zmm9, 640(%r14)
	vmovups	704(%r14), %zmm5
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm17
	vmovups	768(%r14), %zmm5
	vmovups	%zmm17, 704(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm5, %zmm8
	vmovups	832(%r14), %zmm5
	vmovups	%zmm8, 768(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm5, %zmm16
	vmovups	896(%r14), %zmm5
	vmovups	%zmm16, 832(%r14)
	vfmadd132ps	56(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 896(%r14)
	vmovups	960(%r14), %zmm7
	vfmadd132ps	56(%rdx){1to16}, %zmm7, %zmm15
.L4792:
	addq	$32, %r12
	addq	$64, %rdx
	vmovups	%zmm15, 960(%r14)
	addq	$4096, %r11
	addq	$1024, %r13
	cmpq	%r12, %rax
	jle	.L4762
	xorl	%r15d, %r15d
	jmp	.L4512
.L4509:
	vfmadd132ps	%zmm0, %zmm6, %zmm14
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm15, %zmm15
	vmovups	%zmm14, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm22
	vmovups	%zmm22, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm21
	vmovups	%zmm21, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm20
	vmovups	%zmm20, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm19
	vmovups	%zmm19, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 576(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 640(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm17
	vmovups	%zmm17, 704(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 768(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm16
	vmovups	%zmm16, 832(%r14)
	vfmadd132ps	56(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 896(%r14)
	vfmadd132ps	56(%rdx){1to16}, %zmm6, %zmm15
	jmp	.L4792
.L4823:
	movq	%r13, %rax
	movq	%rdx, %rcx
	movq	128(%rsp), %r11
	movl	%edi, %edx
	movl	%edi, %r15d
	xorl	%r12d, %r12d
	movq	%r9, %r8
	movq	%rsi, %r13
.L4505:
	movq	%rax, %rsi
	movl	$32, %edi
	vpbroadcastd	4(%rcx), %zmm15
	vpbroadcastd	12(%rcx), %zmm14
	subq	%r12, %rsi
	vpbroadcastd	20(%rcx), %zmm13
	vpbroadcastd	28(%rcx), %zmm12
	movq	%rax, 120(%rsp)
	cmpq	%rdi, %rsi
	vpbroadcastd	36(%rcx), %zmm11
	vpbroadcastd	44(%rcx), %zmm10
	movq	%rcx, 112(%rsp)
	cmovg	%rdi, %rsi
	movq	%r14, 104(%rsp)
	movq	%r11, %r9
	vpbroadcastd	52(%rcx), %zmm9
	vpbroadcastd	60(%rcx), %zmm8
	vpbroadcastd	68(%rcx), %zmm7
	movl	%edx, %r14d
	leaq	-4096(%r11), %rbx
	salq	$7, %rsi
	vmovdqa32	%zmm9, %zmm18
	vmovdqa32	%zmm10, %zmm19
	leaq	(%rsi,%r11), %rdi
	vmovdqa32	%zmm7, %zmm16
	movq	%r13, %rsi
	vmovdqa32	%zmm8, %zmm17
	vmovdqa32	%zmm11, %zmm20
	vmovdqa32	%zmm12, %zmm21
	vmovdqa32	%zmm13, %zmm22
	vmovdqa32	%zmm14, %zmm23
	vmovdqa32	%zmm15, %zmm24
.L4501:
	movl	(%rsi), %eax
	vpandd	(%rbx), %zmm4, %zmm1
	prefetcht0	(%r9)
	prefetcht0	64(%r9)
	vpsrad	$8, (%rbx), %zmm2
	vpandd	64(%rbx), %zmm4, %zmm0
	movl	%eax, %edx
	movsbw	%al, %cx
	vmovaps	%zmm1, %zmm5
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpandd	%zmm4, %zmm2, %zmm2
	movsbw	%dl, %dx
	vpsrad	$8, 64(%rbx), %zmm1
	sall	$16, %edx
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	vpandd	%zmm4, %zmm1, %zmm1
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vmovaps	%zmm1, %zmm3
	sall	$16, %ecx
	vpbroadcastd	%edx, %zmm1
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm25
	movl	4(%rsi), %eax
	movl	%eax, %edx
	movsbw	%al, %cx
	vpmaddwd	%zmm1, %zmm5, %zmm26
	shrl	$16, %edx
	movzwl	%cx, %ecx
	movsbw	%dl, %dx
	sall	$16, %edx
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	sall	$16, %ecx
	vpmaddwd	%zmm25, %zmm2, %zmm27
	orl	%ecx, %eax
	vpmaddwd	%zmm1, %zmm0, %zmm1
	vpmaddwd	%zmm25, %zmm3, %zmm25
	vpaddd	%zmm27, %zmm26, %zmm26
	vpaddd	%zmm25, %zmm1, %zmm1
	vpbroadcastd	%eax, %zmm25
	movl	8(%rsi), %eax
	vpaddd	%zmm26, %zmm15, %zmm15
	vpaddd	%zmm1, %zmm24, %zmm24
	vpbroadcastd	%edx, %zmm1
	vpmaddwd	%zmm25, %zmm2, %zmm27
	movl	%eax, %edx
	movsbw	%al, %cx
	vpmaddwd	%zmm1, %zmm5, %zmm26
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpmaddwd	%zmm1, %zmm0, %zmm1
	movsbw	%dl, %dx
	vpmaddwd	%zmm25, %zmm3, %zmm25
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %edx
	vpaddd	%zmm25, %zmm1, %zmm1
	vpaddd	%zmm26, %zmm14, %zmm14
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	vpaddd	%zmm1, %zmm23, %zmm23
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm1
	sall	$16, %ecx
	vpmaddwd	%zmm1, %zmm5, %zmm26
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm25
	movl	12(%rsi), %eax
	vpmaddwd	%zmm25, %zmm2, %zmm27
	vpmaddwd	%zmm25, %zmm3, %zmm25
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm25, %zmm1, %zmm1
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm1, %zmm22, %zmm22
	movsbw	%dl, %dx
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %edx
	vpaddd	%zmm26, %zmm13, %zmm13
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm1
	sall	$16, %ecx
	vpmaddwd	%zmm1, %zmm5, %zmm26
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm25
	movl	16(%rsi), %eax
	vpmaddwd	%zmm25, %zmm2, %zmm27
	vpmaddwd	%zmm25, %zmm3, %zmm25
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm25, %zmm1, %zmm1
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm1, %zmm21, %zmm21
	movsbw	%dl, %dx
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %edx
	vpaddd	%zmm26, %zmm12, %zmm12
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm1
	sall	$16, %ecx
	vpmaddwd	%zmm1, %zmm5, %zmm26
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm25
	movl	20(%rsi), %eax
	vpmaddwd	%zmm25, %zmm2, %zmm27
	vpmaddwd	%zmm25, %zmm3, %zmm25
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm25, %zmm1, %zmm1
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm1, %zmm20, %zmm20
	movsbw	%dl, %dx
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %edx
	vpaddd	%zmm26, %zmm11, %zmm11
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm1
	sall	$16, %ecx
	vpmaddwd	%zmm1, %zmm5, %zmm26
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm25
	movl	24(%rsi), %eax
	vpmaddwd	%zmm25, %zmm2, %zmm27
	vpmaddwd	%zmm25, %zmm3, %zmm25
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm25, %zmm1, %zmm1
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm1, %zmm19, %zmm19
	movsbw	%dl, %dx
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %edx
	vpaddd	%zmm26, %zmm10, %zmm10
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm1
	sall	$16, %ecx
	vpmaddwd	%zmm1, %zmm5, %zmm26
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm25
	movl	28(%rsi), %eax
	vpmaddwd	%zmm25, %zmm2, %zmm27
	vpmaddwd	%zmm25, %zmm3, %zmm25
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm25, %zmm1, %zmm1
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm1, %zmm18, %zmm18
	movsbw	%dl, %dx
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %edx
	vpaddd	%zmm26, %zmm9, %zmm9
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarw	$8, %ax
	sarl	$24, %ecx
	movzwl	%ax, %eax
	vpbroadcastd	%edx, %zmm1
	sall	$16, %ecx
	vpmaddwd	%zmm1, %zmm5, %zmm26
	vpmaddwd	%zmm1, %zmm0, %zmm1
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm25
	movl	32(%rsi), %eax
	vpmaddwd	%zmm25, %zmm2, %zmm27
	vpmaddwd	%zmm25, %zmm3, %zmm25
	movl	%eax, %edx
	movsbw	%al, %cx
	vpaddd	%zmm25, %zmm1, %zmm1
	shrl	$16, %edx
	movzwl	%cx, %ecx
	vpaddd	%zmm1, %zmm17, %zmm17
	movsbw	%dl, %dx
	vpaddd	%zmm27, %zmm26, %zmm26
	sall	$16, %edx
	vpaddd	%zmm26, %zmm8, %zmm8
	orl	%ecx, %edx
	movl	%eax, %ecx
	sarl	$24, %ecx
	vpbroadcastd	%edx, %zmm25
	sall	$16, %ecx
	sarw	$8, %ax
	subq	$-128, %r9
	subq	$-128, %rbx
	movzwl	%ax, %eax
	vpmaddwd	%zmm25, %zmm5, %zmm1
	vpmaddwd	%zmm25, %zmm0, %zmm0
	addq	$36, %rsi
	orl	%ecx, %eax
	vpbroadcastd	%eax, %zmm5
	vpmaddwd	%zmm5, %zmm2, %zmm2
	vpaddd	%zmm2, %zmm1, %zmm1
	vpaddd	%zmm1, %zmm7, %zmm7
	vpmaddwd	%zmm5, %zmm3, %zmm1
	vpaddd	%zmm1, %zmm0, %zmm0
	vpaddd	%zmm0, %zmm16, %zmm16
	cmpq	%r9, %rdi
	jne	.L4501
	movq	112(%rsp), %rcx
	movl	%r14d, %edx
	movq	120(%rsp), %rax
	vcvtdq2ps	%zmm15, %zmm15
	movq	104(%rsp), %r14
	vmovss	(%rcx), %xmm0
	vbroadcastss	%xmm0, %zmm0
	testb	%r15b, %r15b
	jne	.L4502
	vfmadd213ps	(%r14), %zmm0, %zmm15
	vmovups	64(%r14), %zmm5
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm16, %zmm16
	vmovups	%zmm15, (%r14)
	vfmadd132ps	(%rcx){1to16}, %zmm5, %zmm24
	vmovups	128(%r14), %zmm5
	vmovups	%zmm24, 64(%r14)
	vfmadd132ps	8(%rcx){1to16}, %zmm5, %zmm14
	vmovups	192(%r14), %zmm5
	vmovups	%zmm14, 128(%r14)
	vfmadd132ps	8(%rcx){1to16}, %zmm5, %zmm23
	vmovups	256(%r14), %zmm5
	vmovups	%zmm23, 192(%r14)
	vfmadd132ps	16(%rcx){1to16}, %zmm5, %zmm13
	vmovups	320(%r14), %zmm5
	vmovups	%zmm13, 256(%r14)
	vfmadd132ps	16(%rcx){1to16}, %zmm5, %zmm22
	vmovups	384(%r14), %zmm5
	vmovups	%zmm22, 320(%r14)
	vfmadd132ps	24(%rcx){1to16}, %zmm5, %zmm12
	vmovups	448(%r14), %zmm5
	vmovups	%zmm12, 384(%r14)
	vfmadd132ps	24(%rcx){1to16}, %zmm5, %zmm21
	vmovups	512(%r14), %zmm5
	vmovups	%zmm21, 448(%r14)
	vfmadd132ps	32(%rcx){1to16}, %zmm5, %zmm11
	vmovups	576(%r14), %zmm5
	vmovups	%zmm11, 512(%r14)
	vfmadd132ps	32(%rcx){1to16}, %zmm5, %zmm20
	vmovups	640(%r14), %zmm5
	vmovups	%zmm20, 576(%r14)
	vfmadd132ps	40(%rcx){1to16}, %zmm5, %zmm10
	vmovups	%zmm10, 640(%r14)
	vmovups	704(%r14), %zmm5
	vfmadd132ps	40(%rcx){1to16}, %zmm5, %zmm19
	vmovups	768(%r14), %zmm5
	vmovups	%zmm19, 704(%r14)
	vfmadd132ps	48(%rcx){1to16}, %zmm5, %zmm9
	vmovups	832(%r14), %zmm5
	vmovups	%zmm9, 768(%r14)
	vfmadd132ps	48(%rcx){1to16}, %zmm5, %zmm18
	vmovups	896(%r14), %zmm5
	vmovups	%zmm18, 832(%r14)
	vfmadd132ps	56(%rcx){1to16}, %zmm5, %zmm8
	vmovups	960(%r14), %zmm5
	vmovups	%zmm8, 896(%r14)
	vfmadd132ps	56(%rcx){1to16}, %zmm5, %zmm17
	vmovups	1024(%r14), %zmm5
	vmovups	%zmm17, 960(%r14)
	vfmadd132ps	64(%rcx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 1024(%r14)
	vmovups	1088(%r14), %zmm7
	vfmadd132ps	64(%rcx){1to16}, %zmm7, %zmm16
.L4791:
	addq	$32, %r12
	addq	$72, %rcx
	vmovups	%zmm16, 1088(%r14)
	addq	$4096, %r11
	addq	$1152, %r13
	cmpq	%r12, %rax
	jle	.L4761
	xorl	%r15d, %r15d
	jmp	.L4505
.L4502:
	vfmadd132ps	%zmm0, %zmm6, %zmm15
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm16, %zmm16
	vmovups	%zmm15, (%r14)
	vfmadd132ps	(%rcx){1to16}, %zmm6, %zmm24
	vmovups	%zmm24, 64(%r14)
	vfmadd132ps	8(%rcx){1to16}, %zmm6, %zmm14
	vmovups	%zmm14, 128(%r14)
	vfmadd132ps	8(%rcx){1to16}, %zmm6, %zmm23
	vmovups	%zmm23, 192(%r14)
	vfmadd132ps	16(%rcx){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 256(%r14)
	vfmadd132ps	16(%rcx){1to16}, %zmm6, %zmm22
	vmovups	%zmm22, 320(%r14)
	vfmadd132ps	24(%rcx){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 384(%r14)
	vfmadd132ps	24(%rcx){1to16}, %zmm6, %zmm21
	vmovups	%zmm21, 448(%r14)
	vfmadd132ps	32(%rcx){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 512(%r14)
	vfmadd132ps	32(%rcx){1to16}, %zmm6, %zmm20
	vmovups	%zmm20, 576(%r14)
	vfmadd132ps	40(%rcx){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 640(%r14)
	vfmadd132ps	40(%rcx){1to16}, %zmm6, %zmm19
	vmovups	%zmm19, 704(%r14)
	vfmadd132ps	48(%rcx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 768(%r14)
	vfmadd132ps	48(%rcx){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 832(%r14)
	vfmadd132ps	56(%rcx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 896(%r14)
	vfmadd132ps	56(%rcx){1to16}, %zmm6, %zmm17
	vmovups	%zmm17, 960(%r14)
	vfmadd132ps	64(%rcx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 1024(%r14)
	vfmadd132ps	64(%rcx){1to16}, %zmm6, %zmm16
	jmp	.L4791
.L4762:
	movq	120(%rsp), %r9
	movq	%rax, %r13
	movl	%ecx, %edi
	vmovq	%xmm31, %r10
	jmp	.L4786
.L4822:
	movb	%dil, 120(%rsp)
	movq	%r13, %rax
	movl	%edi, %r15d
	xorl	%r12d, %r12d
	movq	128(%rsp), %r11
	movq	%r9, %r8
	movq	%rsi, %r13
	vmovq	%r10, %xmm30
.L4499:
	movq	%rax, %rcx
	movl	$32, %esi
	vpbroadcastd	4(%rdx), %zmm16
	vpbroadcastd	12(%rdx), %zmm15
	subq	%r12, %rcx
	vpbroadcastd	20(%rdx), %zmm14
	vpbroadcastd	28(%rdx), %zmm13
	leaq	-4096(%r11), %rbx
	cmpq	%rsi, %rcx
	vpbroadcastd	36(%rdx), %zmm12
	vpbroadcastd	44(%rdx), %zmm11
	movq	%r11, %r9
	cmovg	%rsi, %rcx
	vpbroadcastd	52(%rdx), %zmm10
	vpbroadcastd	60(%rdx), %zmm9
	movq	%r13, %rsi
	vmovdqa32	%zmm11, %zmm21
	vmovdqa32	%zmm12, %zmm22
	kmovb	%r15d, %k4
	vpbroadcastd	68(%rdx), %zmm8
	salq	$7, %rcx
	vpbroadcastd	76(%rdx), %zmm7
	vmovdqa32	%zmm9, %zmm19
	vmovdqa32	%zmm10, %zmm20
	leaq	(%rcx,%r11), %rdi
	vmovdqa32	%zmm8, %zmm18
	vmovdqa32	%zmm13, %zmm23
	vmovdqa32	%zmm7, %zmm17
	vmovdqa32	%zmm14, %zmm24
	vmovdqa32	%zmm15, %zmm25
	vmovdqa32	%zmm16, %zmm26
.L4495:
	movl	(%rsi), %ecx
	vpsrad	$8, (%rbx), %zmm1
	prefetcht0	(%r9)
	prefetcht0	64(%r9)
	vpsrad	$8, 64(%rbx), %zmm0
	vpandd	(%rbx), %zmm4, %zmm2
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpandd	64(%rbx), %zmm4, %zmm5
	shrl	$16, %r10d
	vpandd	%zmm4, %zmm1, %zmm1
	vpandd	%zmm4, %zmm0, %zmm0
	movzwl	%r15w, %r15d
	movsbw	%r10b, %r10w
	sall	$16, %r10d
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	vpbroadcastd	%r10d, %zmm3
	sall	$16, %r15d
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	4(%rsi), %ecx
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpmaddwd	%zmm27, %zmm1, %zmm29
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	movsbw	%r10b, %r10w
	sall	$16, %r10d
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	sall	$16, %r15d
	orl	%r15d, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm27, %zmm0, %zmm27
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm29, %zmm28, %zmm28
	vpaddd	%zmm27, %zmm3, %zmm3
	vpbroadcastd	%ecx, %zmm27
	movl	8(%rsi), %ecx
	vpaddd	%zmm28, %zmm16, %zmm16
	vpaddd	%zmm3, %zmm26, %zmm26
	vpbroadcastd	%r10d, %zmm3
	vpmaddwd	%zmm27, %zmm1, %zmm29
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpmaddwd	%zmm3, %zmm2, %zmm28
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movsbw	%r10b, %r10w
	vpmaddwd	%zmm3, %zmm5, %zmm3
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r10d
	vpaddd	%zmm27, %zmm3, %zmm3
	vpaddd	%zmm28, %zmm15, %zmm15
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	vpaddd	%zmm3, %zmm25, %zmm25
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	vpbroadcastd	%r10d, %zmm3
	sall	$16, %r15d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	12(%rsi), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm3, %zmm24, %zmm24
	movsbw	%r10b, %r10w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r10d
	vpaddd	%zmm28, %zmm14, %zmm14
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	vpbroadcastd	%r10d, %zmm3
	sall	$16, %r15d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	16(%rsi), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm3, %zmm23, %zmm23
	movsbw	%r10b, %r10w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r10d
	vpaddd	%zmm28, %zmm13, %zmm13
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	vpbroadcastd	%r10d, %zmm3
	sall	$16, %r15d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	20(%rsi), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm3, %zmm22, %zmm22
	movsbw	%r10b, %r10w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r10d
	vpaddd	%zmm28, %zmm12, %zmm12
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	vpbroadcastd	%r10d, %zmm3
	sall	$16, %r15d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	24(%rsi), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm3, %zmm21, %zmm21
	movsbw	%r10b, %r10w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r10d
	vpaddd	%zmm28, %zmm11, %zmm11
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	vpbroadcastd	%r10d, %zmm3
	sall	$16, %r15d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	28(%rsi), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm3, %zmm20, %zmm20
	movsbw	%r10b, %r10w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r10d
	vpaddd	%zmm28, %zmm10, %zmm10
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	vpbroadcastd	%r10d, %zmm3
	sall	$16, %r15d
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	32(%rsi), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpaddd	%zmm27, %zmm3, %zmm3
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm3, %zmm19, %zmm19
	movsbw	%r10b, %r10w
	vpaddd	%zmm29, %zmm28, %zmm28
	sall	$16, %r10d
	vpaddd	%zmm28, %zmm9, %zmm9
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarl	$24, %r15d
	vpbroadcastd	%r10d, %zmm3
	sall	$16, %r15d
	sarw	$8, %cx
	subq	$-128, %r9
	subq	$-128, %rbx
	movzwl	%cx, %ecx
	vpmaddwd	%zmm3, %zmm2, %zmm28
	vpmaddwd	%zmm3, %zmm5, %zmm3
	addq	$40, %rsi
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	movl	-4(%rsi), %ecx
	vpmaddwd	%zmm27, %zmm1, %zmm29
	vpmaddwd	%zmm27, %zmm0, %zmm27
	movl	%ecx, %r10d
	movsbw	%cl, %r15w
	vpaddd	%zmm29, %zmm28, %zmm28
	shrl	$16, %r10d
	movzwl	%r15w, %r15d
	vpaddd	%zmm27, %zmm3, %zmm3
	movsbw	%r10b, %r10w
	vpaddd	%zmm28, %zmm8, %zmm8
	vpaddd	%zmm3, %zmm18, %zmm18
	sall	$16, %r10d
	orl	%r15d, %r10d
	movl	%ecx, %r15d
	sarw	$8, %cx
	sarl	$24, %r15d
	movzwl	%cx, %ecx
	vpbroadcastd	%r10d, %zmm28
	sall	$16, %r15d
	vpmaddwd	%zmm28, %zmm2, %zmm2
	orl	%r15d, %ecx
	vpbroadcastd	%ecx, %zmm27
	vpmaddwd	%zmm27, %zmm1, %zmm3
	vpmaddwd	%zmm27, %zmm0, %zmm0
	vpmaddwd	%zmm28, %zmm5, %zmm1
	vpaddd	%zmm3, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm17, %zmm17
	cmpq	%rdi, %r9
	jne	.L4495
	vmovss	(%rdx), %xmm0
	kmovb	%k4, %r15d
	vcvtdq2ps	%zmm16, %zmm16
	vbroadcastss	%xmm0, %zmm0
	testb	%r15b, %r15b
	je	.L4496
	vfmadd132ps	%zmm0, %zmm6, %zmm16
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm17, %zmm17
	vmovups	%zmm16, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm26
	vmovups	%zmm26, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm15
	vmovups	%zmm15, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm25
	vmovups	%zmm25, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm14
	vmovups	%zmm14, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm24
	vmovups	%zmm24, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm13
	vmovups	%zmm13, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm23
	vmovups	%zmm23, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm12
	vmovups	%zmm12, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm22
	vmovups	%zmm22, 576(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 640(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm21
	vmovups	%zmm21, 704(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm10
	vmovups	%zmm10, 768(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm20
	vmovups	%zmm20, 832(%r14)
	vfmadd132ps	56(%rdx){1to16}, %zmm6, %zmm9
	vmovups	%zmm9, 896(%r14)
	vfmadd132ps	56(%rdx){1to16}, %zmm6, %zmm19
	vmovups	%zmm19, 960(%r14)
	vfmadd132ps	64(%rdx){1to16}, %zmm6, %zmm8
	vmovups	%zmm8, 1024(%r14)
	vfmadd132ps	64(%rdx){1to16}, %zmm6, %zmm18
	vmovups	%zmm18, 1088(%r14)
	vfmadd132ps	72(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 1152(%r14)
	vfmadd132ps	72(%rdx){1to16}, %zmm6, %zmm17
.L4790:
	addq	$32, %r12
	addq	$80, %rdx
	vmovups	%zmm17, 1216(%r14)
	addq	$4096, %r11
	addq	$1280, %r13
	cmpq	%r12, %rax
	jle	.L4760
	xorl	%r15d, %r15d
	jmp	.L4499
.L4496:
	vfmadd213ps	(%r14), %zmm0, %zmm16
	vmovups	64(%r14), %zmm5
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm16, (%r14)
	vcvtdq2ps	%zmm17, %zmm17
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm26
	vmovups	128(%r14), %zmm5
	vmovups	%zmm26, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm15
	vmovups	192(%r14), %zmm5
	vmovups	%zmm15, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm25
	vmovups	256(%r14), %zmm5
	vmovups	%zmm25, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm14
	vmovups	320(%r14), %zmm5
	vmovups	%zmm14, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm24
	vmovups	384(%r14), %zmm5
	vmovups	%zmm24, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm13
	vmovups	448(%r14), %zmm5
	vmovups	%zmm13, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm23
	vmovups	512(%r14), %zmm5
	vmovups	%zmm23, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm12
	vmovups	576(%r14), %zmm5
	vmovups	%zmm12, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm22
	vmovups	640(%r14), %zmm5
	vmovups	%zmm22, 576(%r14)
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm11
	vmovups	%zmm11, 640(%r14)
	vmovups	704(%r14), %zmm5
	vfmadd132ps	40(%rdx){1to16}, %zmm5, %zmm21
	vmovups	768(%r14), %zmm5
	vmovups	%zmm21, 704(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm5, %zmm10
	vmovups	832(%r14), %zmm5
	vmovups	%zmm10, 768(%r14)
	vfmadd132ps	48(%rdx){1to16}, %zmm5, %zmm20
	vmovups	896(%r14), %zmm5
	vmovups	%zmm20, 832(%r14)
	vfmadd132ps	56(%rdx){1to16}, %zmm5, %zmm9
	vmovups	960(%r14), %zmm5
	vmovups	%zmm9, 896(%r14)
	vfmadd132ps	56(%rdx){1to16}, %zmm5, %zmm19
	vmovups	1024(%r14), %zmm5
	vmovups	%zmm19, 960(%r14)
	vfmadd132ps	64(%rdx){1to16}, %zmm5, %zmm8
	vmovups	1088(%r14), %zmm5
	vmovups	%zmm8, 1024(%r14)
	vfmadd132ps	64(%rdx){1to16}, %zmm5, %zmm18
	vmovups	1152(%r14), %zmm5
	vmovups	%zmm18, 1088(%r14)
	vfmadd132ps	72(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 1152(%r14)
	vmovups	1216(%r14), %zmm7
	vfmadd132ps	72(%rdx){1to16}, %zmm7, %zmm17
	jmp	.L4790
.L4760:
	movzbl	120(%rsp), %edi
	movq	%rax, %r13
	movq	%r8, %r9
	vmovq	%xmm30, %r10
	jmp	.L4786
.L4761:
	movq	%rax, %r13
	movq	%r8, %r9
	movl	%edx, %edi
	jmp	.L4786
.L4827:
	movl	$16711935, %ecx
	movl	%edi, %r11d
	vxorps	%xmm17, %xmm17, %xmm17
	xorl	%r12d, %r12d
	movq	128(%rsp), %r15
	vpbroadcastd	%ecx, %zmm18
	movq	%rsi, %rcx
.L4530:
	movq	%r13, %rsi
	movl	$32, %r8d
	vpbroadcastd	4(%rdx), %zmm11
	vpbroadcastd	12(%rdx), %zmm10
	subq	%r12, %rsi
	movq	%rcx, 112(%rsp)
	movq	%r15, %rbx
	vpbroadcastd	20(%rdx), %zmm9
	cmpq	%r8, %rsi
	movq	%rdx, 104(%rsp)
	vpbroadcastd	28(%rdx), %zmm8
	leaq	-4096(%r15), %rax
	cmovg	%r8, %rsi
	vpbroadcastd	36(%rdx), %zmm7
	movq	%rcx, %r8
	vmovdqa32	%zmm9, %zmm14
	vmovdqa32	%zmm8, %zmm13
	vmovdqa32	%zmm10, %zmm15
	salq	$7, %rsi
	vmovdqa32	%zmm7, %zmm12
	vmovdqa32	%zmm11, %zmm16
	addq	%r15, %rsi
	movq	%rsi, 120(%rsp)
.L4526:
	movl	(%r8), %esi
	vpsrad	$8, (%rax), %zmm1
	prefetcht0	(%rbx)
	prefetcht0	64(%rbx)
	vpsrad	$8, 64(%rax), %zmm0
	vpandd	(%rax), %zmm18, %zmm2
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpandd	64(%rax), %zmm18, %zmm3
	shrl	$16, %ecx
	movzwl	%dx, %edx
	vpandd	%zmm18, %zmm1, %zmm1
	movsbw	%cl, %cx
	vpandd	%zmm18, %zmm0, %zmm0
	sall	$16, %ecx
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	sarl	$24, %ecx
	movzwl	%si, %esi
	vpbroadcastd	%edx, %zmm5
	sall	$16, %ecx
	orl	%ecx, %esi
	vpbroadcastd	%esi, %zmm19
	movl	4(%r8), %esi
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpmaddwd	%zmm5, %zmm2, %zmm20
	shrl	$16, %ecx
	movzwl	%dx, %edx
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	sarl	$24, %ecx
	movzwl	%si, %esi
	sall	$16, %ecx
	vpmaddwd	%zmm19, %zmm1, %zmm21
	orl	%ecx, %esi
	vpmaddwd	%zmm19, %zmm0, %zmm19
	vpmaddwd	%zmm5, %zmm3, %zmm5
	vpaddd	%zmm21, %zmm20, %zmm20
	vpaddd	%zmm19, %zmm5, %zmm5
	vpbroadcastd	%esi, %zmm19
	movl	8(%r8), %esi
	vpaddd	%zmm20, %zmm11, %zmm11
	vpaddd	%zmm5, %zmm16, %zmm16
	vpbroadcastd	%edx, %zmm5
	vpmaddwd	%zmm19, %zmm1, %zmm21
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpmaddwd	%zmm5, %zmm2, %zmm20
	shrl	$16, %ecx
	movzwl	%dx, %edx
	vpmaddwd	%zmm19, %zmm0, %zmm19
	movsbw	%cl, %cx
	vpmaddwd	%zmm5, %zmm3, %zmm5
	vpaddd	%zmm21, %zmm20, %zmm20
	sall	$16, %ecx
	vpaddd	%zmm19, %zmm5, %zmm5
	vpaddd	%zmm20, %zmm10, %zmm10
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	vpaddd	%zmm5, %zmm15, %zmm15
	sarl	$24, %ecx
	movzwl	%si, %esi
	vpbroadcastd	%edx, %zmm5
	sall	$16, %ecx
	vpmaddwd	%zmm5, %zmm2, %zmm20
	vpmaddwd	%zmm5, %zmm3, %zmm5
	orl	%ecx, %esi
	vpbroadcastd	%esi, %zmm19
	movl	12(%r8), %esi
	vpmaddwd	%zmm19, %zmm1, %zmm21
	vpmaddwd	%zmm19, %zmm0, %zmm19
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpaddd	%zmm19, %zmm5, %zmm5
	shrl	$16, %ecx
	movzwl	%dx, %edx
	vpaddd	%zmm5, %zmm14, %zmm14
	movsbw	%cl, %cx
	vpaddd	%zmm21, %zmm20, %zmm20
	sall	$16, %ecx
	vpaddd	%zmm20, %zmm9, %zmm9
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	sarl	$24, %ecx
	movzwl	%si, %esi
	vpbroadcastd	%edx, %zmm5
	sall	$16, %ecx
	vpmaddwd	%zmm5, %zmm2, %zmm20
	vpmaddwd	%zmm5, %zmm3, %zmm5
	orl	%ecx, %esi
	vpbroadcastd	%esi, %zmm19
	movl	16(%r8), %esi
	vpmaddwd	%zmm19, %zmm1, %zmm21
	vpmaddwd	%zmm19, %zmm0, %zmm19
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpaddd	%zmm19, %zmm5, %zmm5
	shrl	$16, %ecx
	movzwl	%dx, %edx
	vpaddd	%zmm5, %zmm13, %zmm13
	subq	$-128, %rbx
	movsbw	%cl, %cx
	vpaddd	%zmm21, %zmm20, %zmm20
	subq	$-128, %rax
	addq	$20, %r8
	sall	$16, %ecx
	vpaddd	%zmm20, %zmm8, %zmm8
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	sarl	$24, %ecx
	movzwl	%si, %esi
	vpbroadcastd	%edx, %zmm19
	sall	$16, %ecx
	vpmaddwd	%zmm19, %zmm2, %zmm2
	orl	%ecx, %esi
	vpbroadcastd	%esi, %zmm5
	vpmaddwd	%zmm5, %zmm1, %zmm1
	vpmaddwd	%zmm5, %zmm0, %zmm0
	vpaddd	%zmm1, %zmm2, %zmm2
	vpmaddwd	%zmm19, %zmm3, %zmm1
	vpaddd	%zmm0, %zmm1, %zmm0
	vpaddd	%zmm2, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm12, %zmm12
	cmpq	%rbx, 120(%rsp)
	jne	.L4526
	movq	104(%rsp), %rdx
	movq	112(%rsp), %rcx
	vcvtdq2ps	%zmm11, %zmm11
	vmovss	(%rdx), %xmm0
	vbroadcastss	%xmm0, %zmm0
	testb	%r11b, %r11b
	jne	.L4527
	vfmadd213ps	(%r14), %zmm0, %zmm11
	vmovups	64(%r14), %zmm5
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm12, %zmm12
	vmovups	%zmm11, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm16
	vmovups	128(%r14), %zmm5
	vmovups	%zmm16, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm10
	vmovups	192(%r14), %zmm5
	vmovups	%zmm10, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm15
	vmovups	256(%r14), %zmm5
	vmovups	%zmm15, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm9
	vmovups	320(%r14), %zmm5
	vmovups	%zmm9, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm14
	vmovups	384(%r14), %zmm5
	vmovups	%zmm14, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm8
	vmovups	448(%r14), %zmm5
	vmovups	%zmm8, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm13
	vmovups	512(%r14), %zmm5
	vmovups	%zmm13, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 512(%r14)
	vmovups	576(%r14), %zmm7
	vfmadd132ps	32(%rdx){1to16}, %zmm7, %zmm12
.L4785:
	addq	$32, %r12
	addq	$40, %rdx
	vmovups	%zmm12, 576(%r14)
	addq	$4096, %r15
	addq	$640, %rcx
	cmpq	%r12, %r13
	jle	.L4786
	xorl	%r11d, %r11d
	jmp	.L4530
.L4527:
	vfmadd132ps	%zmm0, %zmm17, %zmm11
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm12, %zmm12
	vmovups	%zmm11, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm17, %zmm16
	vmovups	%zmm16, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm17, %zmm10
	vmovups	%zmm10, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm17, %zmm15
	vmovups	%zmm15, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm17, %zmm9
	vmovups	%zmm9, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm17, %zmm14
	vmovups	%zmm14, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm17, %zmm8
	vmovups	%zmm8, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm17, %zmm13
	vmovups	%zmm13, 448(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm17, %zmm7
	vmovups	%zmm7, 512(%r14)
	vfmadd132ps	32(%rdx){1to16}, %zmm17, %zmm12
	jmp	.L4785
.L4787:
	movq	288(%rsp), %r10
	movq	%rcx, %r13
.L4616:
	movq	112(%r10), %rax
	testq	%rax, %rax
	je	.L4620
	testq	%r13, %r13
	jle	.L4620
	movq	%r10, 208(%rsp)
	movq	296(%rsp), %rcx
	leaq	440(%rsp), %rdi
	leaq	0(,%r13,4), %rdx
	leaq	(%rax,%rcx,4), %rsi
	vzeroupper
	call	memcpy@PLT
	movq	208(%rsp), %r10
.L4620:
	movq	216(%rsp), %rax
	movl	8(%rax), %edx
	movq	200(%rsp), %rax
	movq	8(%rax), %rax
	cmpl	$1, %edx
	je	.L4644
	cmpl	$2, %edx
	jne	.L4645
	testq	%rax, %rax
	jle	.L4648
	leaq	(%r13,%r13), %rsi
	xorl	%eax, %eax
	movq	%r14, %r15
	movq	%r13, %r12
	movq	296(%rsp), %rdx
	movq	%r14, 192(%rsp)
	movq	%rsi, %r13
	movq	%rax, %r14
.L4661:
	movq	200(%rsp), %rax
	movq	120(%r10), %r9
	movq	(%rax), %rcx
	movq	40(%r10), %rax
	addq	%r14, %rcx
	testq	%rax, %rax
	je	.L4659
	movq	(%rax,%rcx,8), %rcx
.L4659:
	imulq	72(%r10), %rcx
	addq	%rdx, %rcx
	leaq	(%r9,%rcx,2), %rcx
	testq	%r12, %r12
	jle	.L4667
	leaq	-1(%r12), %rax
	leaq	(%rcx,%r13), %r9
	movq	%r14, 120(%rsp)
	movl	$15, %ebx
	andq	$-16, %rax
	movq	%rdx, 112(%rsp)
	movq	%r9, %r14
	addq	$31, %rax
	movq	%rax, 208(%rsp)
	movl	$4194304, %eax
	vpbroadcastd	%eax, %zmm6
	vmovdqa32	%zmm6, 128(%rsp)
	jmp	.L4666
.L4833:
	vpmovd2m	%zmm1, %k1
	vmovaps	%zmm2, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, %ymm0
	vmovdqu	%ymm0, (%rcx)
.L4665:
	addq	$32, %rcx
	addq	$16, %rbx
	cmpq	%rbx, 208(%rsp)
	je	.L4832
.L4666:
	cmpq	$0, 112(%r10)
	vmovups	-60(%r15,%rbx,4), %zmm1
	je	.L4662
	vmulps	380(%rsp,%rbx,4), %zmm1, %zmm1
.L4662:
	cmpq	$0, 96(%r10)
	je	.L4663
	vaddps	252(%rsp,%rbx,4), %zmm1, %zmm1
.L4663:
	movl	$1, %eax
	vpsrad	$16, %zmm1, %zmm2
	vpord	128(%rsp), %zmm1, %zmm0
	vpbroadcastd	%eax, %zmm3
	vcmpps	$0, %zmm1, %zmm1, %k1
	movl	$32767, %eax
	vpandd	%zmm3, %zmm2, %zmm2
	vpbroadcastd	%eax, %zmm3
	vpaddd	%zmm1, %zmm2, %zmm2
	vmovdqa32	.LC125(%rip), %zmm1{%k1}{z}
	vpaddd	%zmm3, %zmm2, %zmm2
	cmpq	%rbx, %r12
	jg	.L4833
	vpmovd2m	%zmm1, %k1
	movq	%r10, 104(%rsp)
	movq	%r14, %rdx
	movq	%rcx, %rdi
	subq	%rcx, %rdx
	leaq	224(%rsp), %rsi
	vmovaps	%zmm2, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, 224(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	104(%rsp), %r10
	movq	%rax, %rcx
	jmp	.L4665
.L4832:
	movq	120(%rsp), %r14
	movq	112(%rsp), %rdx
.L4667:
	movq	200(%rsp), %rax
	addq	$1, %r14
	subq	$-128, %r15
	cmpq	8(%rax), %r14
	jl	.L4661
	movq	192(%rsp), %r14
.L4648:
	addq	$1, 96(%rsp)
	movq	96(%rsp), %rax
	cmpq	%rax, 64(%rsp)
	jne	.L4490
	vzeroupper
.L4783:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L4645:
	.cfi_restore_state
	testq	%rax, %rax
	jle	.L4648
	leaq	-1(%r13), %rax
	xorl	%r12d, %r12d
	movq	%r13, %r15
	movq	%r14, %r11
	movq	%rax, 128(%rsp)
	leaq	0(,%r13,4), %rsi
	movq	296(%rsp), %rdx
	movq	%r12, %r8
	movq	%rsi, %r13
.L4670:
	movq	200(%rsp), %rsi
	movq	40(%r10), %rdi
	movq	120(%r10), %r9
	movq	(%rsi), %rax
	addq	%r8, %rax
	testq	%rdi, %rdi
	je	.L4668
	movq	(%rdi,%rax,8), %rax
.L4668:
	imulq	72(%r10), %rax
	addq	%rdx, %rax
	leaq	(%r9,%rax,4), %rdi
	testq	%r15, %r15
	jle	.L4676
	movq	128(%rsp), %r12
	leaq	(%rdi,%r13), %r9
	leaq	224(%rsp), %rax
	movq	%rdx, 192(%rsp)
	movq	%rax, 208(%rsp)
	movl	$15, %ebx
	andq	$-16, %r12
	addq	$31, %r12
	movq	%r12, %rcx
	movq	%r9, %r12
	jmp	.L4675
.L4835:
	addq	$16, %rbx
	vmovups	%zmm0, (%rdi)
	addq	$64, %rdi
	cmpq	%rbx, %rcx
	je	.L4834
.L4675:
	cmpq	$0, 112(%r10)
	vmovups	-60(%r14,%rbx,4), %zmm0
	je	.L4671
	vmulps	380(%rsp,%rbx,4), %zmm0, %zmm0
.L4671:
	cmpq	$0, 96(%r10)
	je	.L4672
	vaddps	252(%rsp,%rbx,4), %zmm0, %zmm0
.L4672:
	cmpq	%rbx, %r15
	jg	.L4835
	movq	%r11, 80(%rsp)
	movq	208(%rsp), %rsi
	movq	%r12, %rdx
	movq	%r10, 104(%rsp)
	subq	%rdi, %rdx
	movq	%r8, 112(%rsp)
	movq	%rcx, 120(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	120(%rsp), %rcx
	addq	$16, %rbx
	movq	%rax, %rdi
	movq	80(%rsp), %r11
	movq	104(%rsp), %r10
	movq	112(%rsp), %r8
	addq	$64, %rdi
	cmpq	%rbx, %rcx
	jne	.L4675
.L4834:
	movq	192(%rsp), %rdx
.L4676:
	movq	200(%rsp), %rax
	addq	$1, %r8
	subq	$-128, %r14
	cmpq	8(%rax), %r8
	jl	.L4670
	movq	%r11, %r14
	jmp	.L4648
.L4680:
	movq	%rsi, %r10
	jmp	.L4616
.L4820:
	movq	%r9, 120(%rsp)
	movq	%r8, %rax
	movl	$16711935, %r12d
	xorl	%ebx, %ebx
	movq	%r14, 112(%rsp)
	movq	%rsi, %r11
	kmovb	%edi, %k0
	movq	208(%rsp), %r8
	vpbroadcastd	%r12d, %zmm10
	vxorps	%xmm11, %xmm11, %xmm11
	movq	%rsi, %r12
	movq	%rax, %rsi
.L4613:
	movq	%r13, %rax
	movl	$32, %r14d
	movq	%rdx, %r9
	movq	%r11, %r15
	subq	%rbx, %rax
	vpbroadcastd	4(%rdx), %zmm5
	movq	%rcx, 104(%rsp)
	movq	%rsi, %rdx
	cmpq	%r14, %rax
	movq	%r13, 56(%rsp)
	cmovg	%r14, %rax
	vmovdqa32	%zmm5, %zmm7
	movq	%r8, %r14
	addq	%rbx, %rax
	leaq	(%r12,%rax,4), %rax
	vmovq	%rax, %xmm12
.L4609:
	movl	(%r15), %eax
	vpsrad	$8, (%r14), %zmm1
	addq	$4, %r15
	prefetcht1	(%rdx)
	vpsrad	$8, 64(%r14), %zmm0
	vpandd	(%r14), %zmm10, %zmm3
	addq	$64, %rdx
	subq	$-128, %r14
	movl	%eax, %ecx
	movsbw	%al, %r13w
	vpandd	-64(%r14), %zmm10, %zmm2
	shrl	$16, %ecx
	vpandd	%zmm10, %zmm1, %zmm1
	vpandd	%zmm10, %zmm0, %zmm0
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%eax, %r13d
	sarw	$8, %ax
	sarl	$24, %r13d
	movzwl	%ax, %eax
	vpbroadcastd	%ecx, %zmm9
	sall	$16, %r13d
	orl	%eax, %r13d
	vmovq	%xmm12, %rax
	vpbroadcastd	%r13d, %zmm8
	vpmaddwd	%zmm9, %zmm3, %zmm3
	vpmaddwd	%zmm8, %zmm1, %zmm1
	vpmaddwd	%zmm9, %zmm2, %zmm2
	vpmaddwd	%zmm8, %zmm0, %zmm0
	vpaddd	%zmm1, %zmm3, %zmm3
	vpaddd	%zmm0, %zmm2, %zmm2
	vpaddd	%zmm3, %zmm5, %zmm5
	vpaddd	%zmm2, %zmm7, %zmm7
	cmpq	%rax, %r15
	jne	.L4609
	vmovss	(%r9), %xmm0
	movq	104(%rsp), %rcx
	movq	%r9, %rdx
	vcvtdq2ps	%zmm5, %zmm5
	movq	56(%rsp), %r13
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	je	.L4836
	vfmadd132ps	%zmm0, %zmm11, %zmm5
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm5, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm11, %zmm7
.L4809:
	addq	$32, %rbx
	addq	$8, %rdx
	vmovups	%zmm7, 64(%rcx)
	addq	$2048, %rsi
	addq	$4096, %r8
	subq	$-128, %r11
	cmpq	%rbx, %r13
	jle	.L4779
	kxorb	%k0, %k0, %k0
	jmp	.L4613
.L4836:
	vfmadd213ps	(%rcx), %zmm0, %zmm5
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm5, (%rcx)
	vmovups	64(%rcx), %zmm5
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm7
	jmp	.L4809
.L4819:
	movq	%r9, 112(%rsp)
	movq	%rsi, %r15
	xorl	%eax, %eax
	vmovq	%r10, %xmm14
	movq	%r14, %r9
	kmovb	%edi, %k0
.L4608:
	movq	%r13, %rbx
	movl	$32, %r12d
	movq	%r8, %r14
	vpbroadcastd	4(%rdx), %zmm8
	subq	%rax, %rbx
	vpbroadcastd	12(%rdx), %zmm7
	movq	%rcx, 104(%rsp)
	cmpq	%r12, %rbx
	movq	%r13, 56(%rsp)
	vmovdqa32	%zmm8, %zmm11
	cmovg	%r12, %rbx
	vmovdqa32	%zmm7, %zmm10
	movq	%r11, %r12
	addq	%rax, %rbx
	leaq	(%rsi,%rbx,8), %rbx
	movq	%rbx, 120(%rsp)
	movq	%r15, %rbx
.L4604:
	movl	(%rbx), %r10d
	vpandd	(%r12), %zmm4, %zmm3
	prefetcht1	(%r14)
	subq	$-128, %r12
	vpandd	-64(%r12), %zmm4, %zmm2
	addq	$64, %r14
	addq	$8, %rbx
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	vpsrad	$8, -128(%r12), %zmm1
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	vpsrad	$8, -64(%r12), %zmm0
	movsbw	%cl, %cx
	sall	$16, %ecx
	vpandd	%zmm4, %zmm1, %zmm1
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	vpandd	%zmm4, %zmm0, %zmm0
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpbroadcastd	%ecx, %zmm5
	sall	$16, %r13d
	orl	%r10d, %r13d
	movl	-4(%rbx), %r10d
	vpbroadcastd	%r13d, %zmm9
	movl	%r10d, %ecx
	movsbw	%r10b, %r13w
	shrl	$16, %ecx
	movzwl	%r13w, %r13d
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%r13d, %ecx
	movl	%r10d, %r13d
	sarw	$8, %r10w
	sarl	$24, %r13d
	movzwl	%r10w, %r10d
	vpmaddwd	%zmm5, %zmm3, %zmm12
	vpmaddwd	%zmm9, %zmm1, %zmm13
	sall	$16, %r13d
	vpmaddwd	%zmm5, %zmm2, %zmm5
	vpmaddwd	%zmm9, %zmm0, %zmm9
	orl	%r10d, %r13d
	vpaddd	%zmm9, %zmm5, %zmm5
	vpbroadcastd	%ecx, %zmm9
	vpaddd	%zmm13, %zmm12, %zmm12
	vpaddd	%zmm5, %zmm11, %zmm11
	vpbroadcastd	%r13d, %zmm5
	vpmaddwd	%zmm9, %zmm3, %zmm3
	vpmaddwd	%zmm5, %zmm1, %zmm1
	vpmaddwd	%zmm9, %zmm2, %zmm2
	vpmaddwd	%zmm5, %zmm0, %zmm0
	vpaddd	%zmm1, %zmm3, %zmm3
	vpaddd	%zmm0, %zmm2, %zmm2
	vpaddd	%zmm12, %zmm8, %zmm8
	vpaddd	%zmm3, %zmm7, %zmm7
	vpaddd	%zmm2, %zmm10, %zmm10
	cmpq	%rbx, 120(%rsp)
	jne	.L4604
	vmovss	(%rdx), %xmm0
	movq	104(%rsp), %rcx
	vcvtdq2ps	%zmm8, %zmm8
	kortestb	%k0, %k0
	movq	56(%rsp), %r13
	vbroadcastss	%xmm0, %zmm0
	jne	.L4605
	vfmadd213ps	(%rcx), %zmm0, %zmm8
	vmovups	64(%rcx), %zmm5
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm10, %zmm10
	vmovups	%zmm8, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm11
	vmovups	128(%rcx), %zmm5
	vmovups	%zmm11, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 128(%rcx)
	vmovups	192(%rcx), %zmm7
	vfmadd132ps	8(%rdx){1to16}, %zmm7, %zmm10
.L4808:
	addq	$32, %rax
	addq	$16, %rdx
	vmovups	%zmm10, 192(%rcx)
	addq	$2048, %r8
	addq	$4096, %r11
	addq	$256, %r15
	cmpq	%rax, %r13
	jle	.L4778
	kxorb	%k0, %k0, %k0
	jmp	.L4608
.L4605:
	vfmadd132ps	%zmm0, %zmm6, %zmm8
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm10, %zmm10
	vmovups	%zmm8, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm11
	vmovups	%zmm11, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm7
	vmovups	%zmm7, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm10
	jmp	.L4808
.L4779:
	movq	120(%rsp), %r9
	movq	112(%rsp), %r14
	jmp	.L4786
.L4778:
	movq	%r9, %r14
	vmovq	%xmm14, %r10
	movq	112(%rsp), %r9
	jmp	.L4786
.L4644:
	testq	%rax, %rax
	jle	.L4648
	leaq	-1(%r13), %rax
	xorl	%r12d, %r12d
	leaq	(%r13,%r13), %rsi
	movq	%r13, %r15
	movq	%rax, 128(%rsp)
	movq	296(%rsp), %rdx
	movq	%r12, %r13
	movq	%r14, %r11
.L4652:
	movq	200(%rsp), %rdi
	movq	120(%r10), %r9
	movq	(%rdi), %rax
	movq	40(%r10), %rdi
	addq	%r13, %rax
	testq	%rdi, %rdi
	je	.L4650
	movq	(%rdi,%rax,8), %rax
.L4650:
	imulq	72(%r10), %rax
	addq	%rdx, %rax
	leaq	(%r9,%rax,2), %rdi
	testq	%r15, %r15
	jle	.L4658
	leaq	(%rdi,%rsi), %r9
	movq	128(%rsp), %r12
	leaq	224(%rsp), %rax
	movq	%r13, 192(%rsp)
	movq	%rax, 208(%rsp)
	movl	$15, %ebx
	andq	$-16, %r12
	movq	%rsi, 120(%rsp)
	addq	$31, %r12
	movq	%rdx, 112(%rsp)
	movq	%r12, %r13
	movq	%r9, %r12
	jmp	.L4657
.L4838:
	addq	$16, %rbx
	vcvtps2ph	$8, %zmm0, %ymm0
	addq	$32, %rdi
	vmovdqu	%ymm0, -32(%rdi)
	cmpq	%r13, %rbx
	je	.L4837
.L4657:
	cmpq	$0, 112(%r10)
	vmovups	-60(%r14,%rbx,4), %zmm0
	je	.L4653
	vmulps	380(%rsp,%rbx,4), %zmm0, %zmm0
.L4653:
	cmpq	$0, 96(%r10)
	je	.L4654
	vaddps	252(%rsp,%rbx,4), %zmm0, %zmm0
.L4654:
	cmpq	%rbx, %r15
	jg	.L4838
	movq	%r11, 80(%rsp)
	movq	208(%rsp), %rsi
	movq	%r12, %rdx
	vcvtps2ph	$8, %zmm0, 224(%rsp)
	movq	%r10, 104(%rsp)
	subq	%rdi, %rdx
	vzeroupper
	call	memcpy@PLT
	addq	$16, %rbx
	movq	80(%rsp), %r11
	movq	%rax, %rdi
	movq	104(%rsp), %r10
	addq	$32, %rdi
	cmpq	%r13, %rbx
	jne	.L4657
.L4837:
	movq	192(%rsp), %r13
	movq	120(%rsp), %rsi
	movq	112(%rsp), %rdx
.L4658:
	movq	200(%rsp), %rax
	addq	$1, %r13
	subq	$-128, %r14
	cmpq	8(%rax), %r13
	jl	.L4652
	movq	%r11, %r14
	jmp	.L4648
.L4618:
	xorl	%r9d, %r9d
	leaq	224(%rsp), %rdx
	leaq	288(%rsp), %r11
	vpxor	%xmm0, %xmm0, %xmm0
	testq	%rcx, %rcx
	jg	.L4622
	jmp	.L4839
	.p2align 4,,10
	.p2align 3
.L4641:
	movq	288(%rsp), %rax
	movq	96(%rax), %r10
	movq	296(%rsp), %rax
.L4622:
	movq	%r13, %rcx
	movl	$16, %esi
	movq	%rdx, %rdi
	vmovdqu8	%zmm0, 224(%rsp)
	subq	%r9, %rcx
	cmpq	%rsi, %rcx
	cmovg	%rsi, %rcx
	addq	%r9, %rax
	leaq	(%r10,%rax,4), %rsi
	leaq	0(,%rcx,4), %r8
	cmpl	$8, %r8d
	jb	.L4637
	movl	%r8d, %ecx
	shrl	$3, %ecx
	rep movsq
.L4637:
	andl	$4, %r8d
	je	.L4640
	movl	(%rsi), %eax
	movl	%eax, (%rdi)
.L4640:
	vmovups	224(%rsp), %zmm6
	vmovups	%zmm6, 24(%r11,%r9,4)
	movq	304(%rsp), %r13
	addq	$16, %r9
	cmpq	%r9, %r13
	jg	.L4641
	movq	288(%rsp), %r10
	jmp	.L4616
.L4617:
	xorl	%esi, %esi
	leaq	224(%rsp), %rdx
	leaq	288(%rsp), %r11
	vpxor	%xmm0, %xmm0, %xmm0
	testq	%rcx, %rcx
	jle	.L4788
	movq	%r13, %rcx
	jmp	.L4621
.L4623:
	xorl	%edi, %edi
	testb	$4, %cl
	je	.L4626
	movl	(%rax), %edi
	movl	%edi, (%r8)
	movl	$4, %edi
.L4626:
	andl	$2, %ecx
	je	.L4628
	movzwl	(%rax,%rdi), %eax
	movw	%ax, (%r8,%rdi)
.L4628:
	vcvtph2ps	224(%rsp), %zmm1
	vmovups	%zmm1, 24(%r11,%rsi,4)
	addq	$16, %rsi
	movq	304(%rsp), %rcx
	cmpq	%rsi, %rcx
	jle	.L4787
	movq	288(%rsp), %rax
	movq	96(%rax), %r10
	movq	296(%rsp), %rax
.L4621:
	movl	$16, %edi
	subq	%rsi, %rcx
	movq	%rdx, %r8
	vmovdqa	%ymm0, 224(%rsp)
	cmpq	%rdi, %rcx
	cmovg	%rdi, %rcx
	addq	%rsi, %rax
	leaq	(%r10,%rax,2), %rdi
	addq	%rcx, %rcx
	movq	%rdi, %rax
	cmpl	$8, %ecx
	jb	.L4623
	movl	%ecx, %r9d
	xorl	%eax, %eax
	andl	$-8, %r9d
.L4624:
	movl	%eax, %r8d
	addl	$8, %eax
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r9d, %eax
	jb	.L4624
	leaq	(%rdx,%rax), %r8
	addq	%rdi, %rax
	jmp	.L4623
.L4831:
	vfmadd213ps	(%r14), %zmm2, %zmm0
	vmovups	64(%r14), %zmm7
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm0, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm7, %zmm1
	jmp	.L4798
.L4829:
	movl	$16711935, %ecx
	movq	%rsi, %rax
	movq	128(%rsp), %r15
	xorl	%esi, %esi
	vpbroadcastd	%ecx, %zmm11
	movl	%edi, %r11d
	movq	%r9, %rcx
	movl	%edi, %r9d
	vxorps	%xmm10, %xmm10, %xmm10
.L4542:
	movq	%r13, %r8
	movl	$32, %ebx
	movq	%rax, 112(%rsp)
	movq	%rax, %r12
	subq	%rsi, %r8
	vpbroadcastd	4(%rdx), %zmm2
	vpbroadcastd	12(%rdx), %zmm9
	movq	%rdx, 104(%rsp)
	cmpq	%rbx, %r8
	vpbroadcastd	20(%rdx), %zmm8
	leaq	-4096(%r15), %rdi
	cmovg	%rbx, %r8
	vmovdqa32	%zmm9, %zmm13
	vmovdqa32	%zmm2, %zmm14
	vmovdqa32	%zmm8, %zmm12
	salq	$7, %r8
	leaq	(%r8,%r15), %rbx
	movq	%rbx, 120(%rsp)
	movq	%r15, %rbx
.L4538:
	movl	(%r12), %r8d
	vpandd	(%rdi), %zmm11, %zmm5
	prefetcht0	(%rbx)
	prefetcht0	64(%rbx)
	vpsrad	$8, (%rdi), %zmm1
	subq	$-128, %rbx
	subq	$-128, %rdi
	addq	$12, %r12
	movl	%r8d, %eax
	movsbw	%r8b, %dx
	vpandd	-64(%rdi), %zmm11, %zmm3
	shrl	$16, %eax
	movzwl	%dx, %edx
	vpandd	%zmm11, %zmm1, %zmm1
	cbtw
	vpsrad	$8, -64(%rdi), %zmm0
	sall	$16, %eax
	orl	%edx, %eax
	vpandd	%zmm11, %zmm0, %zmm0
	movl	%eax, %edx
	movl	%r8d, %eax
	sarw	$8, %r8w
	sarl	$24, %eax
	movzwl	%r8w, %r8d
	vmovd	%edx, %xmm7
	sall	$16, %eax
	vpbroadcastd	%xmm7, %zmm7
	orl	%eax, %r8d
	vpbroadcastd	%r8d, %zmm15
	movl	-8(%r12), %r8d
	movl	%r8d, %eax
	movsbw	%r8b, %dx
	vpmaddwd	%zmm7, %zmm5, %zmm16
	shrl	$16, %eax
	movzwl	%dx, %edx
	cbtw
	sall	$16, %eax
	orl	%edx, %eax
	movl	%r8d, %edx
	sarw	$8, %r8w
	sarl	$24, %edx
	movzwl	%r8w, %r8d
	sall	$16, %edx
	orl	%edx, %r8d
	vpmaddwd	%zmm15, %zmm1, %zmm17
	vpmaddwd	%zmm7, %zmm3, %zmm7
	vpmaddwd	%zmm15, %zmm0, %zmm15
	vpaddd	%zmm17, %zmm16, %zmm16
	vpaddd	%zmm15, %zmm7, %zmm7
	vpbroadcastd	%r8d, %zmm15
	movl	-4(%r12), %r8d
	vpaddd	%zmm16, %zmm2, %zmm2
	vpaddd	%zmm7, %zmm14, %zmm14
	vmovd	%eax, %xmm7
	vpmaddwd	%zmm15, %zmm1, %zmm17
	movl	%r8d, %eax
	movsbw	%r8b, %dx
	vpbroadcastd	%xmm7, %zmm7
	shrl	$16, %eax
	movzwl	%dx, %edx
	vpmaddwd	%zmm7, %zmm5, %zmm16
	cbtw
	vpmaddwd	%zmm7, %zmm3, %zmm7
	vpmaddwd	%zmm15, %zmm0, %zmm15
	sall	$16, %eax
	vpaddd	%zmm15, %zmm7, %zmm7
	vpaddd	%zmm17, %zmm16, %zmm16
	orl	%edx, %eax
	movl	%r8d, %edx
	sarw	$8, %r8w
	vpaddd	%zmm7, %zmm13, %zmm13
	sarl	$24, %edx
	movzwl	%r8w, %r8d
	vmovd	%eax, %xmm7
	movq	120(%rsp), %rax
	sall	$16, %edx
	vpaddd	%zmm16, %zmm9, %zmm9
	vpbroadcastd	%xmm7, %zmm16
	orl	%edx, %r8d
	vpmaddwd	%zmm16, %zmm5, %zmm5
	vpmaddwd	%zmm16, %zmm3, %zmm3
	vpbroadcastd	%r8d, %zmm15
	vpmaddwd	%zmm15, %zmm1, %zmm7
	vpaddd	%zmm7, %zmm5, %zmm5
	vpaddd	%zmm5, %zmm8, %zmm8
	vpmaddwd	%zmm15, %zmm0, %zmm5
	vpaddd	%zmm5, %zmm3, %zmm3
	vpaddd	%zmm3, %zmm12, %zmm12
	cmpq	%rax, %rbx
	jne	.L4538
	movq	104(%rsp), %rdx
	movq	112(%rsp), %rax
	vcvtdq2ps	%zmm2, %zmm2
	vmovss	(%rdx), %xmm0
	vbroadcastss	%xmm0, %zmm0
	testb	%r11b, %r11b
	jne	.L4539
	vfmadd213ps	(%r14), %zmm0, %zmm2
	vmovups	64(%r14), %zmm7
	vcvtdq2ps	%zmm9, %zmm1
	vcvtdq2ps	%zmm8, %zmm0
	vmovups	%zmm2, (%r14)
	vcvtdq2ps	%zmm14, %zmm2
	vfmadd132ps	(%rdx){1to16}, %zmm7, %zmm2
	vmovups	128(%r14), %zmm7
	vmovups	%zmm2, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm7, %zmm1
	vmovups	192(%r14), %zmm7
	vmovups	%zmm1, 128(%r14)
	vcvtdq2ps	%zmm13, %zmm1
	vfmadd132ps	8(%rdx){1to16}, %zmm7, %zmm1
	vmovups	256(%r14), %zmm7
	vmovups	%zmm1, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm7, %zmm0
	vmovups	320(%r14), %zmm7
	vmovups	%zmm0, 256(%r14)
	vcvtdq2ps	%zmm12, %zmm0
	vfmadd132ps	16(%rdx){1to16}, %zmm7, %zmm0
.L4796:
	addq	$32, %rsi
	addq	$24, %rdx
	vmovups	%zmm0, 320(%r14)
	addq	$4096, %r15
	addq	$384, %rax
	cmpq	%rsi, %r13
	jle	.L4769
	xorl	%r11d, %r11d
	jmp	.L4542
.L4539:
	vfmadd132ps	%zmm0, %zmm10, %zmm2
	vcvtdq2ps	%zmm9, %zmm1
	vcvtdq2ps	%zmm8, %zmm0
	vmovups	%zmm2, (%r14)
	vcvtdq2ps	%zmm14, %zmm2
	vfmadd132ps	(%rdx){1to16}, %zmm10, %zmm2
	vmovups	%zmm2, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm10, %zmm1
	vmovups	%zmm1, 128(%r14)
	vcvtdq2ps	%zmm13, %zmm1
	vfmadd132ps	8(%rdx){1to16}, %zmm10, %zmm1
	vmovups	%zmm1, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm10, %zmm0
	vmovups	%zmm0, 256(%r14)
	vcvtdq2ps	%zmm12, %zmm0
	vfmadd132ps	16(%rdx){1to16}, %zmm10, %zmm0
	jmp	.L4796
.L4828:
	movq	%r9, 120(%rsp)
	movl	$16711935, %ecx
	movl	%edi, %r11d
	xorl	%r12d, %r12d
	movq	128(%rsp), %r15
	vpbroadcastd	%ecx, %zmm16
	movq	%rsi, %rcx
	vxorps	%xmm17, %xmm17, %xmm17
.L4536:
	movq	%r13, %rsi
	movl	$32, %r8d
	vpbroadcastd	4(%rdx), %zmm10
	vpbroadcastd	12(%rdx), %zmm9
	subq	%r12, %rsi
	vpbroadcastd	20(%rdx), %zmm8
	movq	%rcx, 112(%rsp)
	movq	%r15, %rbx
	cmpq	%r8, %rsi
	vpbroadcastd	28(%rdx), %zmm7
	movq	%rdx, 104(%rsp)
	leaq	-4096(%r15), %rax
	cmovg	%r8, %rsi
	vmovdqa32	%zmm8, %zmm12
	movq	%rcx, %r8
	vmovdqa32	%zmm7, %zmm11
	vmovdqa32	%zmm9, %zmm13
	salq	$7, %rsi
	vmovdqa32	%zmm10, %zmm14
	leaq	(%rsi,%r15), %r9
.L4532:
	movl	(%r8), %esi
	vpsrad	$8, (%rax), %zmm3
	prefetcht0	(%rbx)
	prefetcht0	64(%rbx)
	vpsrad	$8, 64(%rax), %zmm2
	vpandd	(%rax), %zmm16, %zmm1
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpandd	64(%rax), %zmm16, %zmm0
	shrl	$16, %ecx
	movzwl	%dx, %edx
	vpandd	%zmm16, %zmm3, %zmm3
	movsbw	%cl, %cx
	vpandd	%zmm16, %zmm2, %zmm2
	sall	$16, %ecx
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	sarl	$24, %ecx
	movzwl	%si, %esi
	vpbroadcastd	%edx, %zmm5
	sall	$16, %ecx
	orl	%ecx, %esi
	vpbroadcastd	%esi, %zmm15
	movl	4(%r8), %esi
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpmaddwd	%zmm5, %zmm1, %zmm18
	shrl	$16, %ecx
	movzwl	%dx, %edx
	movsbw	%cl, %cx
	sall	$16, %ecx
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	sarl	$24, %ecx
	movzwl	%si, %esi
	sall	$16, %ecx
	vpmaddwd	%zmm15, %zmm3, %zmm19
	orl	%ecx, %esi
	vpmaddwd	%zmm15, %zmm2, %zmm15
	vpmaddwd	%zmm5, %zmm0, %zmm5
	vpaddd	%zmm19, %zmm18, %zmm18
	vpaddd	%zmm15, %zmm5, %zmm5
	vpbroadcastd	%esi, %zmm15
	movl	8(%r8), %esi
	vpaddd	%zmm18, %zmm10, %zmm10
	vpaddd	%zmm5, %zmm14, %zmm14
	vpbroadcastd	%edx, %zmm5
	vpmaddwd	%zmm15, %zmm3, %zmm19
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpmaddwd	%zmm5, %zmm1, %zmm18
	shrl	$16, %ecx
	movzwl	%dx, %edx
	vpmaddwd	%zmm15, %zmm2, %zmm15
	movsbw	%cl, %cx
	vpmaddwd	%zmm5, %zmm0, %zmm5
	vpaddd	%zmm19, %zmm18, %zmm18
	sall	$16, %ecx
	vpaddd	%zmm15, %zmm5, %zmm5
	vpaddd	%zmm18, %zmm9, %zmm9
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	vpaddd	%zmm5, %zmm13, %zmm13
	sarl	$24, %ecx
	movzwl	%si, %esi
	vpbroadcastd	%edx, %zmm5
	sall	$16, %ecx
	vpmaddwd	%zmm5, %zmm1, %zmm18
	vpmaddwd	%zmm5, %zmm0, %zmm5
	orl	%ecx, %esi
	vpbroadcastd	%esi, %zmm15
	movl	12(%r8), %esi
	vpmaddwd	%zmm15, %zmm3, %zmm19
	vpmaddwd	%zmm15, %zmm2, %zmm15
	movl	%esi, %ecx
	movsbw	%sil, %dx
	vpaddd	%zmm15, %zmm5, %zmm5
	shrl	$16, %ecx
	movzwl	%dx, %edx
	vpaddd	%zmm5, %zmm12, %zmm12
	movsbw	%cl, %cx
	vpaddd	%zmm19, %zmm18, %zmm18
	sall	$16, %ecx
	vpaddd	%zmm18, %zmm8, %zmm8
	orl	%ecx, %edx
	movl	%esi, %ecx
	sarw	$8, %si
	sarl	$24, %ecx
	movzwl	%si, %esi
	vpbroadcastd	%edx, %zmm15
	sall	$16, %ecx
	vpmaddwd	%zmm15, %zmm1, %zmm1
	vpmaddwd	%zmm15, %zmm0, %zmm0
	orl	%ecx, %esi
	subq	$-128, %rbx
	subq	$-128, %rax
	addq	$16, %r8
	vpbroadcastd	%esi, %zmm5
	vpmaddwd	%zmm5, %zmm3, %zmm3
	vpmaddwd	%zmm5, %zmm2, %zmm2
	vpaddd	%zmm3, %zmm1, %zmm1
	vpaddd	%zmm2, %zmm0, %zmm0
	vpaddd	%zmm1, %zmm7, %zmm7
	vpaddd	%zmm0, %zmm11, %zmm11
	cmpq	%r9, %rbx
	jne	.L4532
	movq	104(%rsp), %rdx
	movq	112(%rsp), %rcx
	vcvtdq2ps	%zmm10, %zmm10
	vmovss	(%rdx), %xmm0
	vbroadcastss	%xmm0, %zmm0
	testb	%r11b, %r11b
	jne	.L4533
	vfmadd213ps	(%r14), %zmm0, %zmm10
	vmovups	64(%r14), %zmm5
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	%zmm10, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm14
	vmovups	128(%r14), %zmm5
	vmovups	%zmm14, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm9
	vmovups	192(%r14), %zmm5
	vmovups	%zmm9, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm5, %zmm13
	vmovups	256(%r14), %zmm5
	vmovups	%zmm13, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm8
	vmovups	320(%r14), %zmm5
	vmovups	%zmm8, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm5, %zmm12
	vmovups	384(%r14), %zmm5
	vmovups	%zmm12, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm7
	vmovups	%zmm7, 384(%r14)
	vmovups	448(%r14), %zmm7
	vfmadd132ps	24(%rdx){1to16}, %zmm7, %zmm11
.L4795:
	addq	$32, %r12
	addq	$32, %rdx
	vmovups	%zmm11, 448(%r14)
	addq	$4096, %r15
	addq	$512, %rcx
	cmpq	%r12, %r13
	jle	.L4766
	xorl	%r11d, %r11d
	jmp	.L4536
.L4533:
	vfmadd132ps	%zmm0, %zmm17, %zmm10
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	%zmm10, (%r14)
	vfmadd132ps	(%rdx){1to16}, %zmm17, %zmm14
	vmovups	%zmm14, 64(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm17, %zmm9
	vmovups	%zmm9, 128(%r14)
	vfmadd132ps	8(%rdx){1to16}, %zmm17, %zmm13
	vmovups	%zmm13, 192(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm17, %zmm8
	vmovups	%zmm8, 256(%r14)
	vfmadd132ps	16(%rdx){1to16}, %zmm17, %zmm12
	vmovups	%zmm12, 320(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm17, %zmm7
	vmovups	%zmm7, 384(%r14)
	vfmadd132ps	24(%rdx){1to16}, %zmm17, %zmm11
	jmp	.L4795
.L4766:
	movq	120(%rsp), %r9
	jmp	.L4786
.L4830:
	movl	$16711935, %ecx
	movl	%edi, %r11d
	vxorps	%xmm9, %xmm9, %xmm9
	xorl	%r8d, %r8d
	movq	128(%rsp), %rax
	vpbroadcastd	%ecx, %zmm8
	movq	%r9, %rcx
	movl	%edi, %r9d
.L4548:
	movq	%r13, %rbx
	movl	$32, %r12d
	movq	%rsi, %r15
	vpbroadcastd	4(%rdx), %zmm13
	subq	%r8, %rbx
	vpbroadcastd	12(%rdx), %zmm7
	movq	%rax, 112(%rsp)
	leaq	-4032(%rax), %rdi
	cmpq	%r12, %rbx
	movq	%rdx, 104(%rsp)
	vmovdqa32	%zmm13, %zmm11
	cmovg	%r12, %rbx
	vmovdqa32	%zmm7, %zmm10
	movq	%rax, %r12
	salq	$7, %rbx
	addq	%rax, %rbx
	movq	%rbx, 120(%rsp)
.L4544:
	movl	(%r15), %ebx
	vpandd	-64(%rdi), %zmm8, %zmm3
	addq	$8, %r15
	subq	$-128, %rdi
	vpandd	-128(%rdi), %zmm8, %zmm2
	prefetcht0	(%r12)
	vpsrad	$8, -192(%rdi), %zmm1
	prefetcht0	64(%r12)
	movl	%ebx, %eax
	movsbw	%bl, %dx
	subq	$-128, %r12
	shrl	$16, %eax
	movzwl	%dx, %edx
	vpandd	%zmm8, %zmm1, %zmm1
	cbtw
	vpsrad	$8, -128(%rdi), %zmm0
	sall	$16, %eax
	orl	%edx, %eax
	vpandd	%zmm8, %zmm0, %zmm0
	movl	%eax, %edx
	movl	%ebx, %eax
	sarw	$8, %bx
	sarl	$24, %eax
	movzwl	%bx, %ebx
	vmovd	%edx, %xmm5
	sall	$16, %eax
	vpbroadcastd	%xmm5, %zmm5
	orl	%eax, %ebx
	vpbroadcastd	%ebx, %zmm12
	movl	-4(%r15), %ebx
	movl	%ebx, %eax
	movsbw	%bl, %dx
	vpmaddwd	%zmm5, %zmm3, %zmm14
	shrl	$16, %eax
	movzwl	%dx, %edx
	cbtw
	sall	$16, %eax
	orl	%edx, %eax
	movl	%ebx, %edx
	sarw	$8, %bx
	vpmaddwd	%zmm12, %zmm1, %zmm15
	vpmaddwd	%zmm5, %zmm2, %zmm5
	sarl	$24, %edx
	movzwl	%bx, %ebx
	vpmaddwd	%zmm12, %zmm0, %zmm12
	sall	$16, %edx
	vpaddd	%zmm15, %zmm14, %zmm14
	vpaddd	%zmm12, %zmm5, %zmm5
	orl	%edx, %ebx
	vpaddd	%zmm14, %zmm13, %zmm13
	vpaddd	%zmm5, %zmm11, %zmm11
	vmovd	%eax, %xmm5
	movq	120(%rsp), %rax
	vpbroadcastd	%xmm5, %zmm12
	vpbroadcastd	%ebx, %zmm5
	vpmaddwd	%zmm12, %zmm3, %zmm3
	vpmaddwd	%zmm5, %zmm1, %zmm1
	vpmaddwd	%zmm12, %zmm2, %zmm2
	vpmaddwd	%zmm5, %zmm0, %zmm0
	vpaddd	%zmm1, %zmm3, %zmm3
	vpaddd	%zmm0, %zmm2, %zmm2
	vpaddd	%zmm3, %zmm7, %zmm7
	vpaddd	%zmm2, %zmm10, %zmm10
	cmpq	%rax, %r12
	jne	.L4544
	movq	104(%rsp), %rdx
	movq	112(%